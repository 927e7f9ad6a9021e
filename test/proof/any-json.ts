import fc from 'fast-check';
import { rawNumber } from '../../src/core/json-text.ts';

/** Names that objects have without being given them, and others that somebody may stumble over. */
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

/** Numbers that no JavaScript number holds, and such as are written in an unusual way. */
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

/** Any text: of letters, of characters from all of Unicode, of any 16 bits, and what is hostile. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code)), maxLength: 8 }),
  fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 6 }),
  fc.constantFrom(...hostileNames, '@preset/other', 'a'.repeat(300), 'true', 'null', '1'),
);

/** A number as it may be written; stringified, it has these digits. */
export const anyNumber: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...unusualNumbers).map(rawNumber),
);

const anyScalar = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null));

/** Below, at and beyond what is taken, and far beyond. */
const depths = fc.constantFrom(3, 20, 254, 255, 256, 257, 600);

/** Any value that JSON can write; numbers that JavaScript cannot hold are there as `JSON.rawJSON`. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 20, arbitrary: anyScalar },
    { weight: 5, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 5, arbitrary: objectOf(fc.array(fc.tuple(anyText, tie('value')), { maxLength: 5 })) },
    { weight: 1, arbitrary: fc.tuple(anyScalar, depths).map(([value, depth]) => nested(value, depth)) },
  ),
})).value;

/** An object with these fields; a name that comes twice has its last value, and `__proto__` is one as any other. */
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
