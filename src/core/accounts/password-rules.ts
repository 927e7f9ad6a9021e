import { textProblem } from '../text/storable-text.ts';

/** Long enough that guessing fails; NIST SP 800-63B asks for at least 8. */
export const passwordLengthMin = 12;

/** Bounds the work of hashing. */
export const passwordLengthMax = 1_000;

/**
 * Describes what is wrong with a new password; undefined for a good one. Follows NIST SP 800-63B:
 * length counts, and passwords that attackers try first are rejected, but nobody has to mix kinds
 * of characters. `isCommon` gets text in lower case.
 */
export function passwordProblem(
  password: string,
  email: string,
  isCommon: (text: string) => boolean,
): string | undefined {
  const text = normalizePassword(password).toLowerCase();
  const characters = [...text];
  if (characters.length < passwordLengthMin || characters.length > passwordLengthMax)
    return `must have ${passwordLengthMin} to ${passwordLengthMax} characters`;
  if (isRepetition(characters) || isSequence(characters))
    return 'must not repeat a few characters or count up or down; use several unrelated words';
  const localPart = email.slice(0, email.lastIndexOf('@')).toLowerCase();
  if (localPart.length >= localPartMin && text.includes(localPart))
    return `must not contain ${localPart}, which is part of your email address`;
  if (isCommon(text) || isCommon(withoutAffixes(text)))
    return 'must not be a common password, with or without digits around it; use several unrelated words';
  return textProblem(password);
}

/** The same characters can be typed as different code points, but are the same password. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** A shorter one occurs in too many words. */
const localPartMin = 4;

/** Whether the text is a short sequence over and over, such as `abcabcabcabc`. */
function isRepetition(characters: readonly string[]): boolean {
  const longest = Math.min(Math.floor(characters.length / 2), passwordLengthMin - 1);
  return Array.from({ length: longest }, (_, index) => index + 1).some((period) =>
    characters.every((character, index) => index < period || character === characters[index - period]),
  );
}

/** Whether each character follows or precedes the one before it, such as `123456789012`. */
function isSequence(characters: readonly string[]): boolean {
  const steps = characters
    .slice(1)
    .map((character, index) => stepBetween(characters[index] ?? '', character));
  return [1, -1].some((direction) => steps.every((step) => step === direction));
}

function stepBetween(from: string, to: string): number {
  if (from + to === '90') return 1;
  if (from + to === '09') return -1;
  return (to.codePointAt(0) ?? 0) - (from.codePointAt(0) ?? 0);
}

/** People lengthen a common password with digits and punctuation: `!password2026!`. */
function withoutAffixes(text: string): string {
  return text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
}
