import type { PresetSummary } from '../../../../../src/api/presets.ts';

/** The consequences of archiving several presets, as far as the list knows them. */
interface ArchiveImpact {
  readonly archived: readonly PresetSummary[];
  /** The server archives only enabled presets. */
  readonly disabled: readonly PresetSummary[];
  /** The presets whose labels callers may name, such as `slug:production`. */
  readonly labeled: readonly PresetSummary[];
  /** Distinct labels, the most frequent first. */
  readonly labels: readonly string[];
  readonly aliases: readonly string[];
}

export function archiveImpact(presets: readonly PresetSummary[]): ArchiveImpact {
  const archived = presets.filter(({ status }) => status === 'active');
  const counts = new Map<string, number>();
  for (const label of archived.flatMap(({ labels }) => Object.keys(labels)))
    counts.set(label, (counts.get(label) ?? 0) + 1);
  return {
    archived,
    disabled: presets.filter(({ status }) => status === 'disabled'),
    labeled: archived.filter(({ labels }) => Object.keys(labels).length > 0),
    labels: [...counts].toSorted(([, one], [, other]) => other - one).map(([label]) => label),
    aliases: archived.flatMap(({ aliases }) => aliases),
  };
}

/** "a, b and 3 more". */
export function listSome(texts: readonly string[], shownMax = 3): string {
  const shown = texts.slice(0, shownMax);
  const rest = texts.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter(Boolean).join(' and ');
}
