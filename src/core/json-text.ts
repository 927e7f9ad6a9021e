import { PresetdError } from './errors.ts';

/** Deeper than any schema a person writes, and shallow enough for every recursive reader of the value. */
export const nestingLevelsMax = 256;

export interface InspectedJson {
  /** True when a number was written with more digits than a JavaScript number holds. */
  readonly hasInexactNumber: boolean;
}

/**
 * Looks at text that is known to be JSON for what `JSON.parse` hides: a key given twice, of which it keeps the last,
 * nesting without bound, and numbers that it rounds. Duplicates and depth are refused.
 */
export function inspectJson(text: string): InspectedJson {
  // One entry per open container: the keys seen so far in an object, null for an array.
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

/** Parses JSON so that `JSON.stringify` writes every number with the digits it came with. */
export function parseExact(text: string): unknown {
  return parseReplacingInexact(text, rawNumber);
}

/**
 * Parses JSON, in which no object may give a key twice, with something else in the place of every number that would be
 * rounded. Text and value are gone through side by side: a reviver, which is called for every value there is, takes
 * twenty times as long as the parsing.
 */
export function parseReplacingInexact(text: string, inexact: (source: string) => unknown): unknown {
  if (!mayBeInexact.test(text)) return JSON.parse(text);
  const whole: Container = { 0: JSON.parse(text) };
  const around: Place[] = [];
  let place: Place = { container: whole, key: 0 };
  let isKeyNext = false;
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case quote: {
        const end = endOfString(text, position);
        if (isKeyNext) place.key = readKey(text, position, end);
        isKeyNext = false;
        position = end;
        break;
      }
      case openBrace:
      case openBracket:
        isKeyNext = text.charCodeAt(position) === openBrace;
        around.push(place);
        place = { container: place.container[place.key] as Container, key: 0 };
        break;
      case closeBrace:
      case closeBracket:
        isKeyNext = false;
        place = around.pop() ?? place;
        break;
      case comma:
        if (Array.isArray(place.container)) place.key = Number(place.key) + 1;
        else isKeyNext = true;
        break;
      default: {
        if (!isNumberStart(text.charCodeAt(position))) break;
        const end = endOfNumber(text, position);
        const source = text.slice(position, end);
        if (!isExact(source)) place.container[place.key] = inexact(source);
        position = end - 1;
      }
    }
  }
  return whole[0];
}

export interface JsonField {
  readonly key: string;
  /** The value as it is written. */
  readonly text: string;
  /** How many values it holds, itself included, or a few more. */
  readonly nodes: number;
}

/** The fields of an object, from its text alone: what a field holds is neither parsed nor checked. */
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

type Container = Record<string | number, unknown>;

/** Where in the value the text is at. */
interface Place {
  readonly container: Container;
  key: string | number;
}

/** "line 3, column 14", counted from one, as editors do. */
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

/** Every decimal number of up to this many digits survives the way through a double. */
const exactDigits = 15;

/** Matches every number that `isExact` looks at twice, and some other text, in a small part of the time it takes to walk it. */
const mayBeInexact = /[-.\d]{16}|\d[eE]/;

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, position: number): boolean {
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
      `The request body gives the key ${JSON.stringify(key)} twice in one object (${describePosition(text, start)}). Remove one of the two.`,
      { issues: [{ path: '', message: `gives the key ${JSON.stringify(key)} twice in one object` }] },
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

/** Digits, and what can stand between them: `+ - . E e`; nothing that may follow a number. */
function isInNumber(code: number): boolean {
  return isNumberStart(code) || code === 0x2e || code === 0x2b || code === 0x45 || code === 0x65;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isExact(source: string): boolean {
  if (source.length <= exactDigits && !/e/i.test(source)) return true;
  const value = Number(source);
  if (value === 0) return !/^[^e]*[1-9]/i.test(source);
  return Number.isFinite(value) && significant(source) === significant(String(value));
}

/** The digits and the power of ten of a number, however it was written: `1.50`, `15e-1` and `1.5` agree. */
function significant(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source);
  if (match === null) return source;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  // Not by an expression such as /0+$/, which takes the square of a run of zeros that is not the last.
  let length = digits.length;
  while (digits.charCodeAt(length - 1) === zero) length -= 1;
  const trimmed = digits.slice(0, length);
  if (trimmed === '') return '0';
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`;
}

/** Stands for a number and is written as these digits. */
export function rawNumber(source: string): unknown {
  // TypeScript's library does not know JSON.rawJSON yet; Node does since version 21.
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source);
}

/** Whether it stands for a number: it looks like an object, and only writing it as JSON reads it. */
export function isRawNumber(value: unknown): boolean {
  // Browsers from before 2025 do not have it, and never make such a value.
  return (JSON as { isRawJSON?(value: unknown): boolean }).isRawJSON?.(value) ?? false;
}
