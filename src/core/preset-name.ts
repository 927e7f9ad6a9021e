import { describeText } from './storable-text.ts';

/** What is wrong with the name of a preset, beside its length; undefined for a good one. It stands in one line. */
export function nameProblem(name: string): string | undefined {
  if (invisible.test(name)) return 'must have a visible character';
  if (/\p{Cc}/u.test(name)) return 'must not have line breaks or other control characters';
  return describeText(name);
}

/** Blanks, marks of formatting, fillers that have the shape of nothing, and the empty pattern of Braille. */
const invisible = /^[\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
