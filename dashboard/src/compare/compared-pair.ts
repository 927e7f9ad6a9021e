import type { KnownVersions } from './version-options.ts';

export interface ComparedPair {
  readonly from: number;
  readonly to: number;
  /** What the address asks for and the preset does not have. */
  readonly unknown: readonly string[];
}

/** Which two versions an address asks for. Without one: what is live and the newest, or what came before it. */
export function comparedPair(
  search: Pick<URLSearchParams, 'get'>,
  { latest, live }: Pick<KnownVersions, 'latest' | 'live'>,
): ComparedPair {
  const to = readVersion(search.get('to'), latest) ?? latest;
  const from = readVersion(search.get('from'), latest) ?? (live === to ? Math.max(1, to - 1) : live);
  const unknown = ['from', 'to']
    .map((name) => search.get(name) ?? '')
    .filter((text) => text !== '' && readVersion(text, latest) === undefined);
  return { from, to, unknown };
}

function readVersion(text: string | null, latest: number): number | undefined {
  if (text === null || !/^[1-9]\d{0,8}$/.test(text)) return undefined;
  return Number(text) <= latest ? Number(text) : undefined;
}
