/** Where the content of a string is, between its quotes. */
export interface StringPosition {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds a string in the bytes of a JSON object by the keys that lead to it; undefined if there is
 * none. It reads no further than it has to, which is hardly anything for the first fields of an
 * object, and copies nothing. Bytes that are not JSON, or end early, may have any result.
 */
export function findJsonString(bytes: Buffer, path: readonly string[]): StringPosition | undefined {
  let position = skipSpace(bytes, 0);
  for (const key of path) {
    position = findValue(bytes, position, key);
    if (position === -1) return undefined;
  }
  if (bytes[position] !== quote) return undefined;
  const end = endOfString(bytes, position);
  return end === -1 ? undefined : { start: position + 1, end };
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const space = 0x20;

/** Where the value of a key starts, in the object at `object`; -1 if it has no such key. */
function findValue(bytes: Buffer, object: number, key: string): number {
  if (bytes[object] !== openBrace) return -1;
  let position = skipSpace(bytes, object + 1);
  while (bytes[position] === quote) {
    const keyEnd = endOfString(bytes, position);
    if (keyEnd === -1) return -1;
    const isFound =
      keyEnd - position - 1 === key.length && bytes.toString('latin1', position + 1, keyEnd) === key;
    const afterKey = skipSpace(bytes, keyEnd + 1);
    if (bytes[afterKey] !== colon) return -1;
    const value = skipSpace(bytes, afterKey + 1);
    if (isFound) return value;
    const afterValue = skipSpace(bytes, endOfValue(bytes, value));
    if (bytes[afterValue] !== comma) return -1;
    position = skipSpace(bytes, afterValue + 1);
  }
  return -1;
}

/** The position after a value. */
function endOfValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let position = start; position < bytes.length; position += 1) {
    const byte = bytes[position];
    if (byte === quote) {
      position = endOfString(bytes, position);
      if (position === -1) return bytes.length;
      if (depth === 0) return position + 1;
    } else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      // Without an open bracket, it closes the object that a number or a word is in.
      if (depth === 0) return position;
      depth -= 1;
      if (depth === 0) return position + 1;
    } else if (byte === comma && depth === 0) return position;
  }
  return bytes.length;
}

/** The position of the closing quote; -1 if there is none. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end;
}

function isEscaped(bytes: Buffer, position: number): boolean {
  let start = position;
  while (bytes[start - 1] === backslash) start -= 1;
  return (position - start) % 2 === 1;
}

/** No byte at or below a space starts a token. */
function skipSpace(bytes: Buffer, start: number): number {
  let position = start;
  while ((bytes[position] ?? quote) <= space) position += 1;
  return position;
}
