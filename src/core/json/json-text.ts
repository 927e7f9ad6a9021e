import { PresetdError } from '../errors.ts';

/**
 * Deeper than any schema that people write, and shallow enough for every recursive function here.
 */
export const nestingLevelsMax = 256;

interface InspectedJson {
  /** True if a number has more digits than a JavaScript number can represent. */
  readonly hasInexactNumber: boolean;
}

/**
 * Checks valid JSON text for what `JSON.parse` hides: duplicate keys, of which it keeps only the
 * last, unbounded nesting, and numbers that it rounds. Throws `invalid_request` for duplicate keys
 * and for more than `nestingLevelsMax` levels.
 */
export function inspectJson(text: string): InspectedJson {
  // One entry per open container: the keys seen so far for an object, null for an array.
  const containers: (Set<string> | null)[] = [];
  let keys: Set<string> | null = null;
  let isKeyNext = false;
  let hasInexactNumber = false;
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case quote: {
        const end = endOfString(text, position);
        if (isKeyNext && keys !== null) {
          addKey(keys, text, position, end);
          isKeyNext = false;
        }
        position = end;
        break;
      }
      case openBrace:
      case openBracket:
        if (containers.length >= nestingLevelsMax) throw tooDeep(text, position);
        isKeyNext = text.charCodeAt(position) === openBrace;
        keys = isKeyNext ? new Set() : null;
        containers.push(keys);
        break;
      case closeBrace:
      case closeBracket:
        containers.pop();
        keys = containers.at(-1) ?? null;
        isKeyNext = false;
        break;
      case comma:
        isKeyNext = keys !== null;
        break;
      default: {
        if (!isNumberStart(text.charCodeAt(position))) break;
        const end = endOfNumber(text, position);
        hasInexactNumber ||= !isExact(text.slice(position, end));
        position = end - 1;
      }
    }
  }
  return { hasInexactNumber };
}

/** Parses JSON so that `JSON.stringify` writes every number with its original digits. */
export function parseExact(text: string): unknown {
  return parseReplacingInexact(text, rawNumber);
}

/**
 * Parses JSON and replaces every number that would be rounded with `replace(digits)`. The text must
 * not contain duplicate keys. It walks text and parsed value in parallel, because a `JSON.parse`
 * reviver runs for every value and makes parsing twenty times as slow.
 */
export function parseReplacingInexact(text: string, replace: (source: string) => unknown): unknown {
  if (!mayBeInexact.test(text)) return JSON.parse(text);
  const holder: Container = { 0: JSON.parse(text) };
  const parents: Cursor[] = [];
  let cursor: Cursor = { container: holder, key: 0 };
  let isKeyNext = false;
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case quote: {
        const end = endOfString(text, position);
        if (isKeyNext) cursor.key = readKey(text, position, end);
        isKeyNext = false;
        position = end;
        break;
      }
      case openBrace:
      case openBracket:
        isKeyNext = text.charCodeAt(position) === openBrace;
        parents.push(cursor);
        cursor = { container: cursor.container[cursor.key] as Container, key: 0 };
        break;
      case closeBrace:
      case closeBracket:
        isKeyNext = false;
        cursor = parents.pop() ?? cursor;
        break;
      case comma:
        if (Array.isArray(cursor.container)) cursor.key = Number(cursor.key) + 1;
        else isKeyNext = true;
        break;
      default: {
        if (!isNumberStart(text.charCodeAt(position))) break;
        const end = endOfNumber(text, position);
        const source = text.slice(position, end);
        if (!isExact(source)) cursor.container[cursor.key] = replace(source);
        position = end - 1;
      }
    }
  }
  return holder[0];
}

export interface JsonField {
  readonly key: string;
  /** The value as JSON text. */
  readonly text: string;
  /**
   * The number of values in it, including itself. An upper bound that is exact or slightly high.
   */
  readonly nodes: number;
}

/** Splits the text of a JSON object into its fields without parsing or checking their values. */
export function splitFields(text: string): readonly JsonField[] {
  const fields: JsonField[] = [];
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  let nodes = 1;
  const close = (end: number) => {
    if (key !== undefined) fields.push({ key, text: text.slice(start, end).trim(), nodes });
    key = undefined;
  };
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case quote: {
        const end = endOfString(text, position);
        if (depth === 1 && key === undefined) {
          key = readKey(text, position, end);
          start = text.indexOf(':', end) + 1;
          nodes = 1;
        }
        position = end;
        break;
      }
      case openBrace:
      case openBracket:
        depth += 1;
        nodes += 1;
        break;
      case closeBrace:
      case closeBracket:
        if (depth === 1) close(position);
        depth -= 1;
        break;
      case comma:
        if (depth === 1) close(position);
        nodes += 1;
    }
  }
  return fields;
}

/**
 * Counts the values in JSON text by its commas and opening brackets, without parsing it. Of the
 * functions here, only this one accepts invalid JSON, for which the count means nothing.
 */
export function countValues(text: string): number {
  let count = 0;
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case quote:
        position = endOfString(text, position);
        break;
      case comma:
      case openBrace:
      case openBracket:
        count += 1;
    }
  }
  return count;
}

type Container = Record<string | number, unknown>;

/** The position in the parsed value that matches the position in the text. */
interface Cursor {
  readonly container: Container;
  key: string | number;
}

/** Formats an offset as "line 3, column 14", counted from one as editors do. */
export function describePosition(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const zero = 0x30;

/**
 * Every decimal number with up to this many digits survives the conversion to a double and back.
 */
const exactDigits = 15;

/**
 * A fast test that lets most texts skip the walk. It matches every number that `isExact` has to
 * compare digit by digit, and some other text.
 */
const mayBeInexact = /[-.\d]{16}|\d[eE]/;

/** The position of the closing quote; the end of the text if there is none. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether a backslash escapes the character at this position. */
export function isEscaped(text: string, position: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(position - 1 - backslashes) === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

function readKey(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end);
  return written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
}

function addKey(keys: Set<string>, text: string, start: number, end: number): void {
  const key = readKey(text, start, end);
  if (keys.has(key)) {
    throw new PresetdError(
      'invalid_request',
      `The request body repeats the key ${JSON.stringify(key)} in one object (${describePosition(text, start)}). Remove one of the two.`,
      {
        issues: [{ path: '', message: `repeats the key ${JSON.stringify(key)} in one object` }],
        unquotedMessage: `The request body repeats a key in one object (${describePosition(text, start)}).`,
      },
    );
  }
  keys.add(key);
}

function tooDeep(text: string, position: number): PresetdError {
  return new PresetdError(
    'invalid_request',
    `The request body nests deeper than ${nestingLevelsMax} levels (${describePosition(text, position)}).`,
    { issues: [{ path: '', message: `nests deeper than ${nestingLevelsMax} levels` }] },
  );
}

function isNumberStart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d;
}

/** Digits and `+ - . E e`. None of these can follow a number in valid JSON. */
function isInNumber(code: number): boolean {
  return isNumberStart(code) || code === 0x2e || code === 0x2b || code === 0x45 || code === 0x65;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** Whether a double represents the number exactly enough to print the same digits again. */
function isExact(source: string): boolean {
  if (source.length <= exactDigits && !/e/i.test(source)) return true;
  const value = Number(source);
  if (value === 0) return !/^[^e]*[1-9]/i.test(source);
  return Number.isFinite(value) && normalizeDigits(source) === normalizeDigits(String(value));
}

/**
 * Normalizes a number to its digits and power of ten: `1.50`, `15e-1` and `1.5` give the same text.
 */
function normalizeDigits(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source);
  if (match === null) return source;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  // A loop, because /0+$/ takes quadratic time on long runs of zeros that are not at the end.
  let length = digits.length;
  while (digits.charCodeAt(length - 1) === zero) length -= 1;
  const trimmed = digits.slice(0, length);
  if (trimmed === '') return '0';
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`;
}

/** Returns a value that `JSON.stringify` writes as exactly these digits. */
export function rawNumber(source: string): unknown {
  // TypeScript's library does not declare JSON.rawJSON yet; Node.js has it since version 21.
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source);
}

/** Whether the value comes from `rawNumber`. It is an opaque object until it is serialized. */
export function isRawNumber(value: unknown): boolean {
  // Browsers from before 2025 lack this function, and cannot create such a value either.
  return (JSON as { isRawJSON?(value: unknown): boolean }).isRawJSON?.(value) ?? false;
}

/**
 * Replaces every `rawNumber` in a JSON value with the nearest finite double, for code that compares
 * numbers. Returns the value itself if it contains none.
 */
export function roundNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isRawNumber(value)) {
    const number = Number(JSON.stringify(value));
    return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);
  }
  const entries = Object.entries(value);
  const rounded = entries.map(([key, item]) => [key, roundNumbers(item)] as const);
  if (rounded.every(([, item], index) => item === entries[index]?.[1])) return value;
  return Array.isArray(value) ? rounded.map(([, item]) => item) : Object.fromEntries(rounded);
}
