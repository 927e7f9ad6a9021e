/**
 * URLs of preset pages. The `…Href` functions may name a workspace; the `…Path` functions stay in
 * that of the page.
 */

import { workspacePath } from '../../components/addresses.ts';

/** The fields of an event that identify its versions. */
export interface EventFields {
  readonly kind: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

export interface PresetLocation {
  readonly slug: string;
  /** The slug, for links from pages that belong to no workspace. */
  readonly workspace?: string | undefined;
}

export function presetHref({ slug, workspace }: PresetLocation): string {
  return inWorkspace(workspace, presetPath(slug));
}

export function versionHref({ slug, workspace }: PresetLocation, version: number): string {
  return inWorkspace(workspace, `${presetPath(slug)}?version=${version}`);
}

export function compareHref({ slug, workspace }: PresetLocation, { from, to }: VersionPair): string {
  return inWorkspace(workspace, `${presetPath(slug, 'compare')}?from=${from}&to=${to}`);
}

function inWorkspace(workspace: string | undefined, path: string): string {
  return workspace === undefined ? path : workspacePath(workspace, path);
}

interface VersionPair {
  readonly from: number;
  readonly to: number;
}

/**
 * The versions between which an event moved the live version or a label, or the live version and
 * the one that was added without going live; undefined for other events.
 */
export function versionsChangedBy({ kind, before, after }: EventFields): VersionPair | undefined {
  const field = kind === 'preset.label_moved' ? 'version' : 'designated_version';
  const isAdded = kind === 'preset.version_added' && isNotLive(after);
  const [from, to] = [before?.[field], isAdded ? after?.version : after?.[field]];
  return isVersion(from) && isVersion(to) && from !== to ? { from, to } : undefined;
}

/** Whether an event added a version without making it live, by what it records of it. */
export function isNotLive(after: EventFields['after']): boolean {
  return after?.designated_version !== undefined && after.designated_version !== after.version;
}

export function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

/** The page of a preset, or one of its tabs. */
export function presetPath(slug: string, tab?: string): string {
  return `/presets/${encodeURIComponent(slug)}${tab === undefined ? '' : `/${tab}`}`;
}

/** The page of a version. The live one has the preset's own URL. */
export function versionPath(slug: string, version: number, live?: number): string {
  return presetPath(slug) + (version === live ? '' : `?version=${version}`);
}

/** Names the version that the new one starts from, so that the URL can be shared and reloaded. */
export function newVersionPath(slug: string, from: number): string {
  return `${presetPath(slug, 'new')}?from=${from}`;
}

/** A version number from the URL, which users may edit; undefined if it is not one. */
export function parseVersion(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
