import { splitWords } from '../core/text/words.ts';
import { differenceOf, type WordChange } from './word-index.ts';

/**
 * The words of a preset's contents: its tags and aliases, and the models, the note and the system
 * prompt of its live version.
 *
 * `preset_contents` has all of them in one text per preset. `content_words` lists the presets with
 * a word, but only while at most `countedHitsMax` presets of the workspace have it. Then the word
 * is common, its list is dropped, and searches for it walk over the presets and their contents.
 * Since most words of a prompt are common in a large workspace, this takes a tenth of the space
 * and time of an index of all words.
 */

/** A longer prompt is indexed up to here, so that one preset takes a few milliseconds at most. */
export const promptCharactersMax = 100_000;

/** Enough for about 60 kB of English text. */
const wordsMax = 2_000;

/** A preset to index. */
export interface PresetContents {
  readonly id: string;
  readonly workspaceId: string;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** The config's `model`, `models` and `fallbacks`. */
  readonly models: readonly unknown[];
  readonly note: string | null;
  readonly systemPrompt: string | null;
  /** The text that is stored now; null if there is none. */
  readonly words: string | null;
}

/** The words to store for a preset. */
export interface ContentsChange extends WordChange {
  readonly words: string;
}

/** Compares the contents of a preset with the index. Undefined if nothing changed. */
export function changedContents(preset: PresetContents): ContentsChange | undefined {
  const { tags, aliases, models, note, systemPrompt } = preset;
  const after = splitWords(...tags, ...aliases, ...namesIn(models), note, systemPrompt).slice(0, wordsMax);
  const words = after.map((word) => ` ${word}`).join('');
  if (words === (preset.words ?? '')) return undefined;
  return { words, ...differenceOf(preset.words?.split(' ').slice(1) ?? [], after) };
}

/** The names in a list. Models can also be in nested lists, and in Anthropic's objects. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return typeof value === 'object' && value !== null && 'model' in value ? namesIn(value.model) : [];
}

/**
 * One of the added words, which may have become common. Checking one word per preset finds a common
 * word soon, because the more presets have it, the more often it is picked.
 */
export function wordToCheck({ added }: WordChange): string | undefined {
  return added[Math.floor(Math.random() * added.length)];
}

/** Less than every preset id. */
export const beforeFirstPreset = '00000000-0000-0000-0000-000000000000';
