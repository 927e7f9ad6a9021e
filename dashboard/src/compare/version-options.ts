import type { Label } from '../../../src/client/preset-answers.ts';

export interface KnownVersions {
  readonly latest: number;
  readonly live: number;
  readonly labels: readonly Label[];
}

/** A longer list would only be scrolled through; the others are asked for by their number. */
export const listedMax = 100;

/** The newest versions, newest first, and every older one that has a name or is chosen, each with its names. */
export function versionOptions(
  { latest, live, labels }: KnownVersions,
  chosen: readonly number[] = [],
): readonly (readonly [version: string, text: string])[] {
  const newest = Array.from({ length: Math.min(latest, listedMax) }, (_, index) => latest - index);
  const named = [live, ...labels.map(({ version }) => version), ...chosen];
  const versions = [...new Set([...newest, ...named])].filter((version) => version >= 1 && version <= latest);
  return versions
    .sort((one, other) => other - one)
    .map((version) => {
      const names = [
        ...(version === live ? ['live'] : []),
        ...labels.filter((label) => label.version === version).map(({ label }) => label),
      ];
      return [String(version), [`Version ${version}`, ...names].join(' · ')] as const;
    });
}
