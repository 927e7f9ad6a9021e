import { textProblem } from './storable-text.ts';

/**
 * Describes what is wrong with a name, apart from its length; undefined for a valid one. A name
 * must be visible and fit in one line of a list. Presets, keys, workspaces and people share this
 * rule.
 */
export function nameProblem(name: string): string | undefined {
  if (invisible.test(name)) return 'must contain a visible character';
  if (/\p{Cc}/u.test(name)) return 'must not contain line breaks or other control characters';
  return textProblem(name);
}

/**
 * The key under which a name is unique and found: names that differ only in case or in how Unicode
 * composes their characters look the same. In this order, because lower case can change the form.
 */
export function nameKey(name: string): string {
  return name.toLowerCase().normalize('NFC');
}

/**
 * The `invisible` characters of the Basic Multilingual Plane for the OpenAPI document. Generated
 * clients use many regular expression engines, and most support neither Unicode property classes
 * nor larger code points in a class.
 */
const invisibleClass =
  '\\s\\u0085\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5' +
  '\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';

/** `nameProblem` for the OpenAPI document. A test compares the two character by character. */
export const namePattern = `^(?=[${invisibleClass}]*[^${invisibleClass}])[^\\u0000-\\u001f\\u007f-\\u009f]*$`;

/**
 * Whitespace, formatting characters, ignorable code points such as fillers, and the blank Braille
 * pattern.
 */
const invisible = /^[\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
