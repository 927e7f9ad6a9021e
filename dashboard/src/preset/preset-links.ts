import { pathOf } from '../api/api.ts';

/** The fields of an event that are needed to link to its versions. */
interface Told {
  readonly kind: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

export interface PresetPlace {
  readonly slug: string;
  /** Where the page may be opened from another workspace; without it, the one that the session looks at. */
  readonly workspaceId?: string | undefined;
}

export function presetHref({ slug, workspaceId }: PresetPlace): string {
  return withQuery(pathOf('presets', slug), { workspace: workspaceId });
}

export function versionHref({ slug, workspaceId }: PresetPlace, version: number): string {
  return withQuery(pathOf('presets', slug), { version, workspace: workspaceId });
}

export function compareHref({ slug, workspaceId }: PresetPlace, { from, to }: VersionStep): string {
  return withQuery(pathOf('presets', slug, 'compare'), { from, to, workspace: workspaceId });
}

export interface VersionStep {
  readonly from: number;
  readonly to: number;
}

/** The versions between which the event moved what is live, or a label; undefined for events that moved neither. */
export function versionStep({ kind, before, after }: Told): VersionStep | undefined {
  const column = kind === 'preset.label_moved' ? 'version' : 'designated_version';
  const [from, to] = [before?.[column], after?.[column]];
  return isVersion(from) && isVersion(to) && from !== to ? { from, to } : undefined;
}

export function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
