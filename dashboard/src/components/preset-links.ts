/**
 * URLs of preset pages. The `…Href` functions may name a workspace; the `…Path` functions stay in
 * that of the page.
 */

import { workspacePath } from './addresses.ts';

export interface PresetLocation {
  readonly slug: string;
  /** The slug, for links from pages that belong to no workspace. */
  readonly workspace?: string | undefined;
}

export function presetHref({ slug, workspace }: PresetLocation): string {
  return inWorkspace(workspace, presetPath(slug));
}

export function versionHref({ slug, workspace }: PresetLocation, version: number): string {
  return inWorkspace(workspace, versionPath(slug, version));
}

export function compareHref({ slug, workspace }: PresetLocation, pair: VersionPair): string {
  return inWorkspace(workspace, comparePath(slug, pair));
}

function inWorkspace(workspace: string | undefined, path: string): string {
  return workspace === undefined ? path : workspacePath(workspace, path);
}

export interface VersionPair {
  readonly from: number;
  readonly to: number;
}

/** The page of a preset, or one of its tabs. */
export function presetPath(slug: string, tab?: string): string {
  return `/presets/${encodeURIComponent(slug)}${tab === undefined ? '' : `/${tab}`}`;
}

/** The page of a version. */
export function versionPath(slug: string, version: number): string {
  return `${presetPath(slug, 'history')}/${version}`;
}

/** The page with the differences between two versions. */
export function comparePath(slug: string, { from, to }: VersionPair): string {
  return `${presetPath(slug, 'history')}/${from}..${to}`;
}

/** The workbench, starting from this version. */
export function editPath(slug: string, from: number): string {
  return `${presetPath(slug)}?from=${from}`;
}

/** The workbench, with a column that runs this version. */
export function runPath(slug: string, version: number | 'live'): string {
  return `${presetPath(slug)}?run=${version}`;
}

/** Parses the last segment of a history URL; undefined if it is no version or comparison. */
export function parseShown(text: string): number | VersionPair | undefined {
  const [first = '', second, ...rest] = text.split('..');
  const from = parseVersion(first);
  if (second === undefined) return from;
  const to = parseVersion(second);
  return from === undefined || to === undefined || rest.length > 0 ? undefined : { from, to };
}

/** A version number from the URL, which users may edit; undefined if it is not one. */
export function parseVersion(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * The present address of a page that presetd 0.6 had elsewhere: a version and the overview
 * at the preset itself, comparisons and new versions on pages of their own. Undefined for any
 * other.
 */
export function movedPath(slug: string, tab: string | undefined, search: string): string | undefined {
  const query = new URLSearchParams(search);
  const versionIn = (name: string) => parseVersion(query.get(name) ?? '');
  const version = versionIn('version');
  if (version !== undefined && (tab === undefined || tab === 'overview')) return versionPath(slug, version);
  const [from, to] = [versionIn('from'), versionIn('to')];
  switch (tab) {
    case 'overview':
    case 'workbench':
      return presetPath(slug);
    case 'new':
      return from === undefined ? presetPath(slug) : editPath(slug, from);
    case 'compare':
      return from === undefined || to === undefined
        ? presetPath(slug, 'history')
        : comparePath(slug, { from, to });
  }
}
