import { isDeepStrictEqual } from 'node:util';
import { createPatch, type Operation } from 'rfc6902';
import { parseNumbers, rawNumber } from './json-text.ts';

/** Aligning two lists takes the product of their lengths, for every pair of lists inside them again. */
const alignedPairsMax = 25_000;

/** The library goes one call deeper for each of them. */
const alignedItemsMax = 1_000;

/** And it puts the changes of an object together by one call. */
const fieldsMax = 20_000;

/** Of parts of the two values, which are compared again for every pair of items that they stand in. */
const comparisonsMax = 100_000;

/**
 * A JSON Patch (RFC 6902) that makes the one JSON text out of the other, as text, since it may hold numbers that a
 * value would round. It is short where that can be had in reasonable time; else what changed is replaced whole.
 */
export function jsonPatchBetween(from: string, to: string): string {
  return JSON.stringify(createPatch(parseMarked(from), parseMarked(to), boundedDiff()), unmarked);
}

function boundedDiff() {
  let pairsLeft = alignedPairsMax;
  let comparisonsLeft = comparisonsMax;
  return (input: unknown, output: unknown, pointer: { toString(): string }): Operation[] | undefined => {
    comparisonsLeft -= 1;
    const isList = Array.isArray(input) && Array.isArray(output);
    const pairs = isList ? input.length * output.length : 0;
    const isShort = isList ? input.length + output.length <= alignedItemsMax : hasFewFields(input, output);
    if (comparisonsLeft >= 0 && pairs <= pairsLeft && isShort) {
      pairsLeft -= pairs;
      return undefined;
    }
    if (isDeepStrictEqual(input, output)) return [];
    return [{ op: 'replace', path: pointer.toString(), value: output }];
  };
}

function hasFewFields(...values: readonly unknown[]): boolean {
  const fields = values.map((value) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length : 0,
  );
  return Math.max(...fields) <= fieldsMax;
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
