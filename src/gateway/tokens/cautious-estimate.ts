import { estimateTokens } from './estimate-tokens.ts';

/**
 * Estimates the tokens of a request for limits, where too few are worse than too many. The length
 * alone finds less than half of the tokens in numbers and identifiers, so runs of the same kind of
 * character count, too: nearly every run is a token. See docs/budgets.md for how far it is off.
 */
export function estimateTokensCautiously(body: string | Buffer): number {
  // In bytes: text that is not Latin has more of them, and more tokens.
  const bytes = (typeof body === 'string' ? Buffer.from(body) : body).toString('latin1');
  return Math.max(estimateTokens(bytes), countRuns(bytes.replaceAll(fileData, '')));
}

const fileData = /;base64,[^"]*/g;

const [space, lower, upper, digit, mark, beyondAscii, rare] = [0, 1, 2, 3, 4, 5, 6];

function kindOf(byte: number): number {
  const character = String.fromCharCode(byte);
  if (byte <= 32) return space;
  if (byte >= 0xf0) return rare;
  if (byte >= 128) return beyondAscii;
  if (/\d/.test(character)) return digit;
  if (/[a-z]/.test(character)) return lower;
  return /[A-Z]/.test(character) ? upper : mark;
}

const kinds = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));

/** The first bytes of emoji and other rare characters; they have two tokens. */
const tokensOfRare = 2;
/** A number is a token for each three digits. */
const digitsPerToken = 3;

function countRuns(bytes: string): number {
  let runs = 0;
  let last = space;
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const kind = kinds[bytes.charCodeAt(index)] ?? mark;
    const isFull = kind === rare || (kind === digit && length === digitsPerToken);
    if (kind === last && !isFull) {
      length += 1;
      continue;
    }
    // A word may begin with a capital. The length counts spaces and other scripts.
    const isSameWord = kind === lower && last === upper;
    if (kind === rare) runs += tokensOfRare;
    else if (kind !== space && kind !== beyondAscii && !isSameWord) runs += 1;
    last = kind;
    length = 1;
  }
  return runs;
}
