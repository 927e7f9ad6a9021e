import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Whether the Authorization header has one of the tokens. Compares with all of them in constant
 * time, so that none can be guessed character by character.
 */
export function hasToken(authorization: string | undefined, tokens: readonly string[]): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (sent === undefined) return false;
  return tokens.filter((token) => timingSafeEqual(digest(sent), digest(token))).length > 0;
}

/** `timingSafeEqual` requires inputs of equal length, which hashes have. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
