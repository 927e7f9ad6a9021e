import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../api/exact-json.ts';
import { compareConfigs, valueText, valueTexts } from './compare-configs.ts';

type Config = Readonly<Record<string, unknown>>;

function changes(from: Config, to: Config): readonly string[] {
  return compareConfigs(from, to)
    .filter(({ kind }) => kind !== 'same')
    .map(({ kind, path, from: one, to: other }) =>
      [kind, path, JSON.stringify(one), JSON.stringify(other)].filter((word) => word !== undefined).join(' '),
    );
}

const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { properties: { city: { type: 'string' } } } },
};
const parcel = { type: 'function', function: { name: 'find_parcel' } };

describe('compareConfigs', () => {
  test.each<[string, Config, Config, readonly string[]]>([
    ['an added field', { model: 'a' }, { model: 'a', seed: 7 }, ['added seed 7']],
    ['a removed field', { model: 'a', seed: 7 }, { model: 'a' }, ['removed seed 7']],
    ['a changed value', { seed: 7 }, { seed: '7' }, ['changed seed 7 "7"']],
    ['null as a value', { stop: null }, { stop: [] }, ['changed stop null []']],
    [
      'a nested field',
      { provider: { sort: 'price', zdr: true } },
      { provider: { sort: 'latency', zdr: true } },
      ['changed provider.sort "price" "latency"'],
    ],
    ['an object that replaces a scalar', { stop: 'x' }, { stop: { a: 1 } }, ['changed stop "x" {"a":1}']],
    ['a name that needs quotes', { a: { 'b.c': 1 } }, { a: { 'b.c': 2 } }, ['changed a."b.c" 1 2']],
    [
      'a list of scalars as one value',
      { models: ['a', 'b'] },
      { models: ['b', 'a'] },
      ['changed models ["a","b"] ["b","a"]'],
    ],
    ['a name that objects inherit', {}, JSON.parse('{"__proto__":{"a":1}}'), ['added __proto__ {"a":1}']],
  ])('reports %s', (_title, from, to, expected) => {
    expect(changes(from, to)).toEqual(expected);
  });

  test('ignores the order of fields', () => {
    expect(changes({ a: { b: 1, c: [{ d: 1, e: 2 }] } }, { a: { c: [{ e: 2, d: 1 }], b: 1 } })).toEqual([]);
  });

  test('matches tools by name, regardless of their position', () => {
    const city = { type: 'string', description: 'In English' };
    const changed = {
      type: 'function',
      function: { ...weather.function, parameters: { properties: { city } } },
    };
    expect(changes({ tools: [weather] }, { tools: [parcel, changed] })).toEqual([
      'added tools › get_weather › function.parameters.properties.city.description "In English"',
      `added tools › find_parcel ${JSON.stringify(parcel)}`,
    ]);
  });

  test('reports reordered tools as a change of order', () => {
    expect(changes({ tools: [weather, parcel] }, { tools: [parcel, weather] })).toEqual([
      'changed tools (order) ["get_weather","find_parcel"] ["find_parcel","get_weather"]',
    ]);
  });

  test('compares 100,000 tools without comparing each with each', () => {
    // Pairwise comparison would take ten billion steps.
    const tools = Array.from({ length: 100_000 }, (_, index) => ({ name: `tool_${index}` }));
    const [, ...others] = tools;
    expect(changes({ tools }, { tools: others })).toEqual(['removed tools › tool_0 {"name":"tool_0"}']);
  });

  test('compares a list with duplicate tool names as one value', () => {
    expect(changes({ tools: [parcel, parcel] }, { tools: [parcel] })).toEqual([
      `changed tools ${JSON.stringify([parcel, parcel])} ${JSON.stringify([parcel])}`,
    ]);
  });

  test('compares deeply nested fields in one pass, and reports them whole if the path is too long', () => {
    const nested = (name: string, depth: number, leaf: unknown): Config =>
      depth === 0 ? { leaf } : { [name]: nested(name, depth - 1, leaf) };
    const wide = (value: number) =>
      Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, value]));
    expect(compareConfigs(nested('a', 250, wide(1)), nested('a', 250, wide(2)))).toHaveLength(20_000);
    const [field, ...others] = compareConfigs(
      nested('x'.repeat(3_000), 1, wide(1)),
      nested('x'.repeat(3_000), 1, wide(2)),
    );
    expect(others).toEqual([]);
    expect(field).toMatchObject({ path: 'x'.repeat(3_000), kind: 'changed', isCoarse: true });
  });

  test('matches plugins by ID', () => {
    expect(
      changes({ plugins: [{ id: 'web', max_results: 3 }] }, { plugins: [{ id: 'pdf' }, { id: 'web' }] }),
    ).toEqual(['removed plugins › web › max_results 3', 'added plugins › pdf {"id":"pdf"}']);
  });

  test('distinguishes numbers that JavaScript would round to the same value', () => {
    const config = (seed: string) => parseExactJson(`{"seed":${seed}}`) as Config;
    expect(changes(config('12345678901234567890'), config('12345678901234567891'))).toEqual([
      'changed seed 12345678901234567890 12345678901234567891',
    ]);
    expect(changes(config('12345678901234567890'), config('12345678901234567890'))).toEqual([]);
  });

  test('includes unchanged fields', () => {
    expect(
      compareConfigs({ model: 'a', seed: 1 }, { model: 'a', seed: 2 }).map(({ path, kind }) => [path, kind]),
    ).toEqual([
      ['model', 'same'],
      ['seed', 'changed'],
    ]);
  });
});

const long = 'A text that goes on for so long that nobody would want to read it in quotes.';

test.each([
  ['a short text', 'low', '"low"'],
  ['a number', 0.2, '0.2'],
  ['a short list', ['a', 'b'], '["a", "b"]'],
  ['a short object', { type: 'string' }, '{"type":"string"}'],
  ['a long text', long, long],
  ['a text of two lines', 'a\nb', 'a\nb'],
  ['a long object', { text: long }, `{\n  "text": "${long}"\n}`],
  ['nothing', undefined, ''],
])('the value %s is formatted for reading', (_title, value, expected) => {
  expect(valueText(value)).toBe(expected);
});

test('neither of two strings is quoted if one is long', () => {
  expect(valueTexts('short', long)).toEqual(['short', long]);
  expect(valueTexts('short', 'other')).toEqual(['"short"', '"other"']);
  expect(valueTexts(null, long)).toEqual(['null', long]);
});
