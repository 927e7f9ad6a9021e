import { type CooperativeTask, createYieldCheck, type YieldCheck } from '../concurrency/cooperative-task.ts';
import { isEscaped, parseExact } from './json-text.ts';

/**
 * Parses JSON like `parseExact`, in steps: `JSON.parse` would block the process for a millisecond
 * for each hundred kilobytes, and ten times as long if they are numbers. Decoding takes its steps
 * as well. Throws `SyntaxError`.
 */
export function* parseInSteps(bytes: Buffer | string): CooperativeTask<unknown> {
  if (bytes.length <= charactersPerStep) return parseExact(bytes.toString());
  const text = typeof bytes === 'string' ? bytes : yield* decode(bytes);
  const shouldYield = createYieldCheck(charactersPerStep);
  /** The containers around the current position, and the name of the next value in an object. */
  const open: { readonly container: unknown[] | Record<string, unknown>; name: string }[] = [];
  let position = 0;
  for (;;) {
    const start = skipSpace(text, position);
    if (shouldYield(start - position + 1)) yield;
    const first = text[start];
    let value: unknown;
    let end = start + 1;
    if (first === '{' || first === '[') {
      const container = first === '{' ? {} : [];
      const next = skipSpace(text, end);
      if (text[next] !== (first === '{' ? '}' : ']')) {
        open.push({ container, name: '' });
        position = first === '{' ? yield* readName(next) : next;
        continue;
      }
      value = container;
      end = next + 1;
    } else if (first === '"') {
      end = yield* endOf(text, start, shouldYield);
      value = yield* parseString(text.slice(start, end));
    } else {
      scalar.lastIndex = start;
      end = start + (scalar.exec(text)?.[0].length ?? 0);
      value = parseExact(text.slice(start, end));
    }
    if (shouldYield(end - start)) yield;
    // The value may be the last one of several containers.
    for (;;) {
      const parent = open.at(-1);
      position = skipSpace(text, end);
      if (shouldYield(position - end + 1)) yield;
      if (parent === undefined) {
        if (position < text.length) throw unexpected(position);
        return value;
      }
      add(parent.container, parent.name, value);
      const isList = Array.isArray(parent.container);
      const after = text[position];
      if (after === ',') {
        position = isList ? position + 1 : yield* readName(skipSpace(text, position + 1));
        break;
      }
      if (after !== (isList ? ']' : '}')) throw unexpected(position);
      value = parent.container;
      open.pop();
      end = position + 1;
    }
  }

  /** Reads the name of a field and its colon; returns where they end. */
  function* readName(at: number): CooperativeTask<number> {
    if (text[at] !== '"') throw unexpected(at);
    const end = yield* endOf(text, at, shouldYield);
    const colon = skipSpace(text, end);
    const parent = open.at(-1);
    if (text[colon] !== ':' || parent === undefined) throw unexpected(colon);
    parent.name = yield* parseString(text.slice(at, end));
    return colon + 1;
  }
}

/** A few milliseconds of numbers, and less of anything else. */
const charactersPerStep = 32_768;

function* decode(bytes: Buffer): CooperativeTask<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += decodedPerStep) {
    pieces.push(decoder.decode(bytes.subarray(at, at + decodedPerStep), { stream: true }));
    yield;
  }
  return pieces.join('') + decoder.decode();
}

const decodedPerStep = 1_048_576;

function skipSpace(text: string, position: number): number {
  space.lastIndex = position;
  return position + (space.exec(text)?.[0].length ?? 0);
}

const space = /[ \t\n\r]*/y;

/** A number or a word. `parseExact` rejects anything else. */
const scalar = /[\w+.-]*/y;

/** After its closing quote. */
function* endOf(text: string, start: number, shouldYield: YieldCheck): CooperativeTask<number> {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) {
    const next = text.indexOf('"', end + 1);
    if (shouldYield(next - end)) yield;
    end = next;
  }
  if (end === -1) throw unexpected(text.length);
  return end + 1;
}

/** A long string is parsed in pieces, none of which ends within an escape sequence. */
function* parseString(quoted: string): CooperativeTask<string> {
  if (quoted.length <= charactersPerStep) return JSON.parse(quoted) as string;
  const pieces: string[] = [];
  for (let start = 1; start < quoted.length - 1; ) {
    const end = beforeEscape(quoted, start, Math.min(start + charactersPerStep, quoted.length - 1));
    pieces.push(JSON.parse(`"${quoted.slice(start, end)}"`) as string);
    start = end;
    yield;
  }
  return pieces.join('');
}

/** The last position up to `end` that is not within an escape sequence; `start` is none either. */
function beforeEscape(text: string, start: number, end: number): number {
  const last = text.lastIndexOf('\\', end - 1);
  if (end === text.length - 1 || last < start || last < end - escapeLengthMax) return end;
  let first = last;
  while (first > start && text[first - 1] === '\\') first -= 1;
  // Backslashes escape each other in pairs, and one without a partner begins a sequence.
  return (last - first) % 2 === 0 ? last : end;
}

const escapeLengthMax = 6;

function add(container: unknown[] | Record<string, unknown>, name: string, value: unknown): void {
  if (Array.isArray(container)) container.push(value);
  // An assignment would set the prototype.
  else if (name === '__proto__')
    Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true });
  else container[name] = value;
}

function unexpected(position: number): SyntaxError {
  return new SyntaxError(`unexpected character at ${position}`);
}
