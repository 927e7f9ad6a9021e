import fc from 'fast-check';
import { rawNumber } from '../../src/core/json/json-text.ts';
import { codePoint, codeUnit } from '../support/arbitrary-text.ts';

/** Names of built-in properties, and others that code may mishandle. */
export const hostileNames: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'rawJSON',
  'length',
  '',
  '0',
  '-1',
  'a.b',
  'a/b~c',
  '\0',
  '\ud800',
  '\udfff',
  'größe 日本語 🙂',
  '\u2028\r\n',
];

/** Numbers that JavaScript cannot represent, or that have an unusual notation. */
const unusualNumbers: readonly string[] = [
  '12345678901234567890',
  '-9007199254740993',
  '0.1000000000000000055511151231257827',
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '1.0',
  '1E+2',
  '100000000000000000000000000000000000000000001',
];

/** Any text: letters, all of Unicode, arbitrary 16-bit code units and hostile names. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: codePoint, maxLength: 8 }),
  fc.string({ unit: codeUnit, maxLength: 6 }),
  fc.constantFrom(...hostileNames, '@preset/other', 'a'.repeat(300), 'true', 'null', '1'),
);

/** Any JSON number. Unusual ones keep their exact notation when stringified. */
export const anyNumber: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...unusualNumbers).map(rawNumber),
);

const anyScalar = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null));

/** Depths below, at and above the limit of 256. */
const depths = fc.constantFrom(3, 20, 254, 255, 256, 257, 600);

/** Any JSON value. Numbers that JavaScript cannot represent are `JSON.rawJSON` objects. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 20, arbitrary: anyScalar },
    { weight: 5, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 5, arbitrary: objectOf(fc.array(fc.tuple(anyText, tie('value')), { maxLength: 5 })) },
    { weight: 1, arbitrary: fc.tuple(anyScalar, depths).map(([value, depth]) => nested(value, depth)) },
  ),
})).value;

/** Objects with these fields. The last duplicate wins, and `__proto__` is an ordinary name. */
export function objectOf(
  entries: fc.Arbitrary<readonly (readonly [string, unknown])[]>,
): fc.Arbitrary<Record<string, unknown>> {
  return entries.map((list) => Object.fromEntries(list));
}

function nested(value: unknown, depth: number): unknown {
  let outer = value;
  for (let level = 0; level < depth; level += 1) outer = level % 3 === 0 ? { a: outer } : [outer];
  return outer;
}
