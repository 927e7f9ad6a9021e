import type { PresetState } from '../core/presets/preset.ts';
import { splitWords } from '../core/words.ts';

/**
 * The difference between the words that find a preset before and after a change. Writing only the
 * difference keeps a rename from rewriting every row of the index.
 */
export function changedWords(
  current: PresetState | undefined,
  next: PresetState,
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const before = new Set(current && splitWords(current.slug, current.name, current.description));
  const after = new Set(splitWords(next.slug, next.name, next.description));
  return {
    removed: [...before].filter((word) => !after.has(word)),
    added: [...after].filter((word) => !before.has(word)),
  };
}
