import { describe, expect, it } from 'vitest';
import {
  countValues,
  describePosition,
  inspectJson,
  nestingLevelsMax,
  parseExact,
  parseReplacingInexact,
  roundNumbers,
  splitFields,
} from './json-text.ts';

describe('inspectJson', () => {
  it.each([
    '{}',
    '[]',
    '"a"',
    '0',
    '-1.5e3',
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"a":"a","b":"\\"a\\":","c":"\\\\"}',
    ' { "a" : [ 1 , 2 ] , "b" : "a" } ',
    '{"":1,"a":""}',
  ])('the JSON %s is accepted', (text) => {
    expect(inspectJson(text)).toEqual({ hasInexactNumber: false });
  });

  it.each([
    ['{"a":1,"a":2}', '"a"'],
    ['{"a":1,"\\u0061":2}', '"a"'],
    ['{"x":{"b":[1],"c":2,"b":3}}', '"b"'],
    ['[{"":1,"":2}]', '""'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
  ])('the duplicate key in %s is rejected', (text, key) => {
    expect(() => inspectJson(text)).toThrow(`repeats the key ${key}`);
  });

  it('the error for a duplicate key has its line and column', () => {
    expect(() => inspectJson('{\n  "a": 1,\n  "a": 2\n}')).toThrow('line 3, column 3');
  });

  it('JSON may be nested up to the limit, and not one level more', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(() => inspectJson(nested(nestingLevelsMax))).not.toThrow();
    expect(() => inspectJson(nested(nestingLevelsMax + 1))).toThrow('nests deeper than 256 levels');
  });

  it.each([
    '12345678901234567890',
    '1e999',
    '-1e-400',
    '0.1000000000000000055511151231257827',
    '9007199254740993',
  ])('%s would be rounded', (source) => {
    expect(inspectJson(`{"a":[${source}]}`).hasInexactNumber).toBe(true);
    expect(JSON.stringify(parseExact(`{"a":[${source}]}`))).toBe(`{"a":[${source}]}`);
  });

  it('handles a number of a million digits in linear time', () => {
    const source = `1${'0'.repeat(1_000_000)}1`;
    expect(inspectJson(`[${source}]`).hasInexactNumber).toBe(true);
    expect(JSON.stringify(parseExact(`[${source}]`))).toBe(`[${source}]`);
  });

  it.each([
    '1',
    '1.50',
    '1e3',
    '0.30000000000000004',
    '9007199254740992',
    '100000000000000000000',
    '-0',
    '0.0',
  ])('%s would not be rounded', (source) => {
    expect(inspectJson(source).hasInexactNumber).toBe(false);
    expect(parseExact(source)).toBe(Number(source));
  });
});

describe('parseReplacingInexact', () => {
  const big = '12345678901234567890';

  it.each([
    big,
    ` [ ${big} , 1 , -${big} ] `,
    `[[],{},[${big}],{"a":${big}}]`,
    `{"a":{"b":[1,{"c":[[2],${big}]}]},"d":${big}}`,
    `{"a":"${big}","b,{[":["\\"${big}",${big}],"\\\\":${big}}`,
    `{"\\u0061\\n":${big},"":{"":${big}}}`,
    `{"0":${big},"a":1,"-1":${big},"length":${big}}`,
    `[true,${big},false,null,${big}]`,
  ])('the inexact numbers in %s are replaced', (text) => {
    const revived = JSON.parse(text, (_key, value) =>
      typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER ? 'here' : value,
    );
    expect(parseReplacingInexact(text, () => 'here')).toEqual(revived);
  });

  it('`__proto__` and `constructor` are ordinary keys', () => {
    const text = `{"__proto__":${big},"a":{"__proto__":{"b":${big}},"constructor":{"prototype":${big}}}}`;
    const value = parseExact(text);
    expect(JSON.stringify(value)).toBe(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, 'b')).toBe(false);
  });
});

it('describePosition counts lines and columns from one, as editors do', () => {
  expect(describePosition('ab', 0)).toBe('line 1, column 1');
  expect(describePosition('a\nbc', 3)).toBe('line 2, column 2');
});

describe('roundNumbers', () => {
  it.each([
    ['12345678901234567890', 12345678901234567000],
    ['[1,{"a":-0.1000000000000000055511151231257827}]', [1, { a: -0.1 }]],
    ['[1e400,-1e400,1e-400]', [Number.MAX_VALUE, -Number.MAX_VALUE, 0]],
    ['{"__proto__":[12345678901234567890]}', JSON.parse('{"__proto__":[12345678901234567000]}')],
  ])('rounds %s', (text, expected) => {
    expect(roundNumbers(parseExact(text))).toEqual(expected);
  });

  it('a value without raw numbers is returned itself', () => {
    const value = { a: [1, 'x', null, { b: true }] };
    expect(roundNumbers(value)).toBe(value);
  });
});

describe('splitFields', () => {
  it.each<[string, readonly (readonly [key: string, text: string, nodes: number])[]]>([
    ['{}', []],
    [
      ' { "a" : 1 , "b":"x,}" } ',
      [
        ['a', '1', 1],
        ['b', '"x,}"', 1],
      ],
    ],
    [
      '{"a":{"a":[1,{"b":"\\"}"}]},"":null}',
      [
        ['a', '{"a":[1,{"b":"\\"}"}]}', 5],
        ['', 'null', 1],
      ],
    ],
    [
      '{"\\u0061\\"":[],"__proto__":{}}',
      [
        ['a"', '[]', 2],
        ['__proto__', '{}', 2],
      ],
    ],
  ])('the fields of %s are split without parsing them', (text, fields) => {
    expect(splitFields(text).map(({ key, text, nodes }) => [key, text, nodes])).toEqual(fields);
  });

  it('splitFields never counts fewer nodes than there are', () => {
    const [field] = splitFields(JSON.stringify({ a: Array(1_000).fill({ b: [1, 2, 3] }) }));
    expect(field?.nodes).toBeGreaterThanOrEqual(1 + 1_000 * 5);
  });
});

it.each([
  ['numbers in a list', '[1,2,3]', 3],
  ['fields and nested containers', '{"a":[{"b":1}],"c":null}', 4],
  ['no punctuation in strings', String.raw`["[{,","\",","\\",1]`, 4],
  ['nothing in a string without an end', '"[[[[,,,', 0],
  ['nothing after an escaped quote without an end', String.raw`"\",[[[`, 0],
])('countValues counts %s', (_, text, count) => {
  expect(countValues(text)).toBe(count);
});
