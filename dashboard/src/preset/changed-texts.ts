import type { Preset } from '../../../src/client/preset-answers.ts';
import type { PresetTexts } from './preset-action.ts';

interface Typed {
  readonly name: string;
  readonly description: string;
}

/** The edited fields with their new and old values; an empty description becomes null. */
export function changedTexts(
  preset: Pick<Preset, 'name' | 'description'>,
  typed: Typed,
): { readonly changed: PresetTexts; readonly before: PresetTexts } {
  const next = { name: typed.name, description: typed.description === '' ? null : typed.description };
  const isRenamed = next.name !== preset.name;
  const isDescribed = next.description !== (preset.description || null);
  const pick = ({ name, description }: typeof next): PresetTexts => ({
    ...(isRenamed && { name }),
    ...(isDescribed && { description }),
  });
  return { changed: pick(next), before: pick(preset) };
}
