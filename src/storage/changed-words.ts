import type { PresetState } from '../core/preset.ts';
import { splitWords } from '../core/words.ts';

/** The words by which a preset is no longer found, and those by which it is found from now on. */
export function changedWords(
  current: PresetState | undefined,
  next: PresetState,
): { readonly gone: readonly string[]; readonly come: readonly string[] } {
  const before = new Set(current && splitWords(current.slug, current.name, current.description));
  const after = new Set(splitWords(next.slug, next.name, next.description));
  return {
    gone: [...before].filter((word) => !after.has(word)),
    come: [...after].filter((word) => !before.has(word)),
  };
}
