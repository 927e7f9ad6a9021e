import { createPatch, type Operation, type Pointer } from 'rfc6902';
import { parseNumbers, rawNumber } from './json-text.ts';

/** Aligning two lists takes the product of their lengths, for every pair of lists inside them again. */
const alignedPairsMax = 25_000;

/** The library goes one call deeper for each of them, and puts the changes of an object together by one call. */
const itemsMax = 1_000;
const fieldsMax = 20_000;

/** Fields that are looked at, again for every pair of items that they stand in. */
const comparisonsMax = 100_000;

/**
 * A JSON Patch (RFC 6902) that makes the one JSON text out of the other, as text, since it may hold numbers that a
 * value would round. It is short where that can be had in reasonable time; else what changed is replaced whole.
 */
export function jsonPatchBetween(from: string, to: string): string {
  const unify = createUnifier();
  const patch = createPatch(unify(parseMarked(from)), unify(parseMarked(to)), boundedDiff());
  return JSON.stringify(patch, unmarked);
}

function boundedDiff() {
  let pairsLeft = alignedPairsMax;
  let comparisonsLeft = comparisonsMax;
  return (input: unknown, output: unknown, pointer: Pointer): Operation[] | undefined => {
    if (input === output) return [];
    const sizes = [sizeOf(input), sizeOf(output)] as const;
    const isList = Array.isArray(input) && Array.isArray(output);
    const pairs = isList ? sizes[0] * sizes[1] : 0;
    // A pointer is copied at every step down.
    comparisonsLeft -= sizes[0] + sizes[1] + pointer.tokens.length;
    const isShort = Math.max(...sizes) <= (isList ? itemsMax : fieldsMax);
    if (comparisonsLeft >= 0 && pairs <= pairsLeft && isShort) {
      pairsLeft -= pairs;
      return undefined;
    }
    return [{ op: 'replace', path: pointer.toString(), value: output }];
  };
}

const sizes = new WeakMap<object, number>();

/** Counted once for each of the values, which are compared many times. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const known = sizes.get(value) ?? Object.keys(value).length;
  sizes.set(value, known);
  return known;
}

/** Makes values that are equal one and the same, so that finding them equal takes no time from then on. */
function createUnifier(): (value: unknown) => unknown {
  const known = new Map<string, object>();
  const numbers = new Map<unknown, number>();
  const nameOf = (value: unknown) => (numbers.has(value) ? `#${numbers.get(value)}` : JSON.stringify(value));

  function theOne(value: object, name: string): object {
    const same = known.get(name);
    if (same !== undefined) return same;
    known.set(name, value);
    numbers.set(value, numbers.size);
    return value;
  }

  return function unify(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map(unify);
      return theOne(items, `[${items.map(nameOf).join()}]`);
    }
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([key, field]) => [key, unify(field)] as const);
    const names = fields.map(([key, field]) => `${JSON.stringify(key)}:${nameOf(field)}`).sort();
    return theOne(Object.fromEntries(fields), `{${names.join()}}`);
  };
}

/** No stored text holds U+0000, so nothing else begins like this. */
const numberMark = '\0number ';

function parseMarked(text: string): unknown {
  return parseNumbers(text, (source) => numberMark + source);
}

function unmarked(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(numberMark)
    ? rawNumber(value.slice(numberMark.length))
    : value;
}
