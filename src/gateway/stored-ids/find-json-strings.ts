import { endOfString } from '../../core/json/json-text.ts';

/** A string that was found. */
export interface FoundString<Kind extends string> {
  /** As the shape calls it. */
  readonly kind: Kind;
  /** Where its content is, between its quotes. */
  readonly start: number;
  readonly end: number;
}

/**
 * Which strings of a JSON value to find: the value itself, of a kind; those of some keys of an
 * object; or those of all elements of a list.
 */
export type StringShape<Kind extends string> =
  | Kind
  | { readonly [key: string]: StringShape<Kind> }
  | readonly [StringShape<Kind>];

/**
 * Finds strings in the text of JSON that begins at `start`, in one pass and in their order, without
 * parsing the rest of it. Values that do not match the shape are skipped. The text may be UTF-8
 * that was decoded as latin1: all syntax is ASCII. The result is undefined for text that is not
 * JSON or ends early.
 */
export function findJsonStrings<Kind extends string>(
  text: string,
  shape: StringShape<Kind>,
  start = 0,
): readonly FoundString<Kind>[] {
  const found: FoundString<Kind>[] = [];
  findInValue(text, skipSpace(text, start), shape, found);
  return found;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const space = 0x20;

/** Returns the position after the value, as do the functions below. */
function findInValue<Kind extends string>(
  text: string,
  start: number,
  shape: StringShape<Kind>,
  found: FoundString<Kind>[],
): number {
  const first = text.charCodeAt(start);
  if (typeof shape === 'string') {
    const end = first === quote ? endOfString(text, start) : text.length;
    if (end === text.length) return endOfValue(text, start);
    found.push({ kind: shape, start: start + 1, end });
    return end + 1;
  }
  if (isList(shape))
    return first === openBracket ? findInList(text, start, shape[0], found) : endOfValue(text, start);
  return first === openBrace ? findInObject(text, start, shape, found) : endOfValue(text, start);
}

function findInList<Kind extends string>(
  text: string,
  list: number,
  shape: StringShape<Kind>,
  found: FoundString<Kind>[],
): number {
  // In an empty list, the first value ends where it starts.
  for (let start = list + 1; ; ) {
    const end = skipSpace(text, findInValue(text, skipSpace(text, start), shape, found));
    start = end + 1;
    if (text.charCodeAt(end) !== comma) return start;
  }
}

function findInObject<Kind extends string>(
  text: string,
  object: number,
  shape: { readonly [key: string]: StringShape<Kind> },
  found: FoundString<Kind>[],
): number {
  let position = skipSpace(text, object + 1);
  while (text.charCodeAt(position) === quote) {
    const keyEnd = endOfString(text, position);
    const afterKey = skipSpace(text, keyEnd + 1);
    if (text.charCodeAt(afterKey) !== colon) return text.length;
    const key = text.slice(position + 1, keyEnd);
    const value = skipSpace(text, afterKey + 1);
    const wanted = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const end = wanted === undefined ? endOfValue(text, value) : findInValue(text, value, wanted, found);
    const afterValue = skipSpace(text, end);
    if (text.charCodeAt(afterValue) !== comma) return afterValue + 1;
    position = skipSpace(text, afterValue + 1);
  }
  return position + 1;
}

function isList<Kind extends string>(
  shape: Exclude<StringShape<Kind>, string>,
): shape is readonly [StringShape<Kind>] {
  return Array.isArray(shape);
}

/** The position after a value. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let position = start; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === quote) {
      position = endOfString(text, position);
      if (depth === 0) return position + 1;
    } else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      // Without an open bracket, it closes the object that a number or a word is in.
      if (depth === 0) return position;
      depth -= 1;
      if (depth === 0) return position + 1;
    } else if (code === comma && depth === 0) return position;
  }
  return text.length;
}

/** No character at or below a space starts a token. */
function skipSpace(text: string, start: number): number {
  let position = start;
  while (text.charCodeAt(position) <= space) position += 1;
  return position;
}
