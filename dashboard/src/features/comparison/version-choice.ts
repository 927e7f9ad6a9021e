import type { PresetLabel } from '../../../../src/api/labels.ts';

/** The versions of a preset that stand out from the others. */
export interface VersionPointers {
  readonly latest: number;
  readonly live: number;
  readonly labels: readonly PresetLabel[];
}

/** Keeps the list short; older versions are entered by number. */
export const listedMax = 100;

/** Options for a select: the newest versions, and older ones that are live, labeled or selected. */
export function versionOptions(
  { latest, live, labels }: VersionPointers,
  selected: readonly number[] = [],
): readonly (readonly [version: string, text: string])[] {
  const newest = Array.from({ length: Math.min(latest, listedMax) }, (_, index) => latest - index);
  const named = [live, ...labels.map(({ version }) => version), ...selected];
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

/**
 * Undefined for anything but the number of an existing version. Nine digits are plenty, and avoid
 * numbers that JavaScript rounds.
 */
export function parseExistingVersion(text: string | null, latest: number): number | undefined {
  if (text === null || !/^[1-9]\d{0,8}$/.test(text)) return undefined;
  return Number(text) <= latest ? Number(text) : undefined;
}
