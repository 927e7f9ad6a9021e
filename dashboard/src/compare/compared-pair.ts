import type { VersionPointers } from './version-options.ts';

export interface ComparedPair {
  readonly from: number;
  readonly to: number;
  /** Versions in the URL that the preset does not have. */
  readonly unknown: readonly string[];
}

/**
 * The two versions that the URL names. By default the live version is compared with the latest, or
 * the latest with its predecessor if it is live.
 */
export function comparedPair(
  search: Pick<URLSearchParams, 'get'>,
  { latest, live }: Pick<VersionPointers, 'latest' | 'live'>,
): ComparedPair {
  const to = parseExistingVersion(search.get('to'), latest) ?? latest;
  const from = parseExistingVersion(search.get('from'), latest) ?? (live === to ? Math.max(1, to - 1) : live);
  const unknown = ['from', 'to']
    .map((name) => search.get(name) ?? '')
    .filter((text) => text !== '' && parseExistingVersion(text, latest) === undefined);
  return { from, to, unknown };
}

/** Undefined for anything but the number of an existing version. */
function parseExistingVersion(text: string | null, latest: number): number | undefined {
  if (text === null || !/^[1-9]\d{0,8}$/.test(text)) return undefined;
  return Number(text) <= latest ? Number(text) : undefined;
}
