import { pathOf } from '../api/api.ts';

/** The page of a preset with one of its versions; of the live one, the page as it always opens. */
export function versionPath(slug: string, version: number, live?: number): string {
  return pathOf('presets', slug) + (version === live ? '' : `?version=${version}`);
}

/** Names the version that the new one starts from, so that the address can be shared and reloaded. */
export function newVersionPath(slug: string, from: number): string {
  return `${pathOf('presets', slug, 'new')}?from=${from}`;
}

/** The number of a version in an address, which anybody may have written. */
export function parseVersion(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
