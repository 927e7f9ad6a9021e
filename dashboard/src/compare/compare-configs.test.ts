import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../api/exact-json.ts';
import { compareConfigs } from './compare-configs.ts';

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

describe('two configs by fields', () => {
  test.each<[string, Config, Config, readonly string[]]>([
    ['a field that is new', { model: 'a' }, { model: 'a', seed: 7 }, ['added seed 7']],
    ['a field that is gone', { model: 'a', seed: 7 }, { model: 'a' }, ['removed seed 7']],
    ['a field that has another value', { seed: 7 }, { seed: '7' }, ['changed seed 7 "7"']],
    ['null as a value', { stop: null }, { stop: [] }, ['changed stop null []']],
    [
      'a field within a field',
      { provider: { sort: 'price', zdr: true } },
      { provider: { sort: 'latency', zdr: true } },
      ['changed provider.sort "price" "latency"'],
    ],
    [
      'an object in the place of something else',
      { stop: 'x' },
      { stop: { a: 1 } },
      ['changed stop "x" {"a":1}'],
    ],
    ['a name that is no plain word', { a: { 'b.c': 1 } }, { a: { 'b.c': 2 } }, ['changed a."b.c" 1 2']],
    [
      'a list of values as a whole',
      { models: ['a', 'b'] },
      { models: ['b', 'a'] },
      ['changed models ["a","b"] ["b","a"]'],
    ],
    [
      'a name that objects have by themselves',
      {},
      JSON.parse('{"__proto__":{"a":1}}'),
      ['added __proto__ {"a":1}'],
    ],
  ])('tell %s', (_title, from, to, expected) => {
    expect(changes(from, to)).toEqual(expected);
  });

  test('the order of fields is no difference', () => {
    expect(changes({ a: { b: 1, c: [{ d: 1, e: 2 }] } }, { a: { c: [{ e: 2, d: 1 }], b: 1 } })).toEqual([]);
  });

  test('tools are known by their names, wherever they stand', () => {
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

  test('tools in another order are told as that', () => {
    expect(changes({ tools: [weather, parcel] }, { tools: [parcel, weather] })).toEqual([
      'changed tools (order) ["get_weather","find_parcel"] ["find_parcel","get_weather"]',
    ]);
  });

  test('many thousands of tools are compared at once', () => {
    // Comparing each with each would take ten billion steps.
    const tools = Array.from({ length: 100_000 }, (_, index) => ({ name: `tool_${index}` }));
    const [, ...others] = tools;
    expect(changes({ tools }, { tools: others })).toEqual(['removed tools › tool_0 {"name":"tool_0"}']);
  });

  test('tools of which two have one name are compared as a whole', () => {
    expect(changes({ tools: [parcel, parcel] }, { tools: [parcel] })).toEqual([
      `changed tools ${JSON.stringify([parcel, parcel])} ${JSON.stringify([parcel])}`,
    ]);
  });

  test('what is nested deep is compared in one pass, and shown whole where its path is too long', () => {
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

  test('plugins are known by their ids', () => {
    expect(
      changes({ plugins: [{ id: 'web', max_results: 3 }] }, { plugins: [{ id: 'pdf' }, { id: 'web' }] }),
    ).toEqual(['removed plugins › web › max_results 3', 'added plugins › pdf {"id":"pdf"}']);
  });

  test('digits that JavaScript would round are told apart', () => {
    const config = (seed: string) => parseExactJson(`{"seed":${seed}}`) as Config;
    expect(changes(config('12345678901234567890'), config('12345678901234567891'))).toEqual([
      'changed seed 12345678901234567890 12345678901234567891',
    ]);
    expect(changes(config('12345678901234567890'), config('12345678901234567890'))).toEqual([]);
  });

  test('what did not change is told too', () => {
    expect(
      compareConfigs({ model: 'a', seed: 1 }, { model: 'a', seed: 2 }).map(({ path, kind }) => [path, kind]),
    ).toEqual([
      ['model', 'same'],
      ['seed', 'changed'],
    ]);
  });
});
