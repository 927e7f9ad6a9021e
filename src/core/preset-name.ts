import { textProblem } from './storable-text.ts';

/** What is wrong with the name of a preset, beside its length; undefined for a good one. It stands in one line. */
export function nameProblem(name: string): string | undefined {
  if (invisible.test(name)) return 'must have a visible character';
  if (/\p{Cc}/u.test(name)) return 'must not have line breaks or other control characters';
  return textProblem(name);
}

/**
 * Nearly all of `invisible` for the API document, in a form that most regular expression engines understand: many have no
 * classes of Unicode, and no characters beyond the Basic Multilingual Plane in a class.
 */
const invisibleClass =
  '\\s\\u0085\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5' +
  '\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';

/** `nameProblem` for the API document. */
export const namePattern = `^(?=[${invisibleClass}]*[^${invisibleClass}])[^\\u0000-\\u001f\\u007f-\\u009f]*$`;

/** Blanks, marks of formatting, fillers that have the shape of nothing, and the empty pattern of Braille. */
const invisible = /^[\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
