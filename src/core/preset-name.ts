import { describeText } from './storable-text.ts';

/** What is wrong with the name of a preset, beside its length; undefined for a good one. It stands in one line. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must have a visible character';
  if (/\p{Cc}/u.test(name)) return 'must not have line breaks or other control characters';
  return describeText(name);
}
