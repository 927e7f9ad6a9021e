import type { Preset } from '../../../src/client/preset-answers.ts';
import type { Texts } from './preset-action.ts';

interface Typed {
  readonly name: string;
  readonly description: string;
}

/** The fields that differ from those of the preset, as they shall be and as they are; an empty description is none. */
export function changedTexts(
  preset: Pick<Preset, 'name' | 'description'>,
  typed: Typed,
): { readonly changed: Texts; readonly before: Texts } {
  const wanted = { name: typed.name, description: typed.description === '' ? null : typed.description };
  const isRenamed = wanted.name !== preset.name;
  const isDescribed = wanted.description !== (preset.description || null);
  const pick = ({ name, description }: typeof wanted): Texts => ({
    ...(isRenamed && { name }),
    ...(isDescribed && { description }),
  });
  return { changed: pick(wanted), before: pick(preset) };
}
