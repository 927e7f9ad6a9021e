import fastJsonPatch from 'fast-json-patch';
import { applyPatch, type Operation } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../test/support/random.ts';
import { type CooperativeTask, runToCompletion } from '../concurrency/cooperative-task.ts';
import { parseReplacingInexact } from '../json/json-text.ts';
import { jsonPatchBetween } from './json-patch.ts';

const patchBetween = (from: string, to: string) => runToCompletion(jsonPatchBetween(from, to));

const list = (length: number, item: (index: number) => unknown) =>
  Array.from({ length }, (_, index) => item(index));

/** Checks the patch with two independent implementations, and returns it. */
function expectValidPatch(from: string, to: string): Operation[] {
  const text = patchBetween(from, to).json;
  const patch: Operation[] = JSON.parse(text);
  expect(fastJsonPatch.validate(patch, JSON.parse(from))).toBeUndefined();
  const { newDocument } = fastJsonPatch.applyPatch(JSON.parse(from), JSON.parse(text), true, false, false);
  expect(newDocument).toEqual(JSON.parse(to));
  // Numbers that a JavaScript value would round are compared as text.
  const exactly = (source: string) => parseReplacingInexact(source, (digits) => `number ${digits}`);
  const document = { root: exactly(from) };
  const problems = applyPatch(
    document,
    (exactly(text) as Operation[]).map((operation) => ({ ...operation, path: `/root${operation.path}` })),
  );
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
  expect(document.root).toEqual(exactly(to));
  return patch;
}

describe('jsonPatchBetween', () => {
  it.each<[string, unknown, unknown, Operation[]]>([
    ['no change', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['reordered keys', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }, []],
    ['a changed value', { a: 1 }, { a: '1' }, [{ op: 'replace', path: '/a', value: '1' }]],
    ['a changed null', { a: null }, { a: false }, [{ op: 'replace', path: '/a', value: false }]],
    [
      'a list that becomes an object',
      { a: [1] },
      { a: { 0: 1 } },
      [{ op: 'replace', path: '/a', value: { 0: 1 } }],
    ],
    ['an object that becomes a list', { a: {} }, { a: [] }, [{ op: 'replace', path: '/a', value: [] }]],
    [
      'added and removed keys',
      { a: 1, b: 2 },
      { b: 2, c: 3 },
      [
        { op: 'remove', path: '/a' },
        { op: 'add', path: '/c', value: 3 },
      ],
    ],
    [
      'keys with characters that JSON Pointer escapes',
      { 'a/b': 1, 'm~n': 1, '': 1, '~1': 1 },
      { 'a/b': 2, 'm~n': 2, '': 2, '~1': 2 },
      [
        { op: 'replace', path: '/a~1b', value: 2 },
        { op: 'replace', path: '/m~0n', value: 2 },
        { op: 'replace', path: '/', value: 2 },
        { op: 'replace', path: '/~01', value: 2 },
      ],
    ],
    ['an item appended to a list', { a: [1] }, { a: [1, 2] }, [{ op: 'add', path: '/a/-', value: 2 }]],
    ['an item prepended to a list', { a: [1] }, { a: [0, 1] }, [{ op: 'add', path: '/a/0', value: 0 }]],
    ['an item removed from a list', { a: [1, 2, 3] }, { a: [1, 3] }, [{ op: 'remove', path: '/a/1' }]],
    [
      'an item inserted before another object',
      { tools: [{ name: 'b', strict: false, parameters: { type: 'object' } }] },
      { tools: [{ name: 'a' }, { name: 'b', strict: false, parameters: { type: 'object' } }] },
      [{ op: 'add', path: '/tools/0', value: { name: 'a' } }],
    ],
    [
      'a value deep in nested lists',
      { a: [[1, [2, { b: 3 }]], 4] },
      { a: [[1, [2, { b: 5 }]], 4] },
      [{ op: 'replace', path: '/a/0/1/1/b', value: 5 }],
    ],
  ])('the patch for %s is the smallest', (_, from, to, patch) => {
    expect(expectValidPatch(JSON.stringify(from), JSON.stringify(to))).toEqual(patch);
  });

  it.each([
    ['{"a":18446744073709551615}', '{"a":18446744073709551616}'],
    ['{"a":[1,18446744073709551615]}', '{"a":[18446744073709551615,0.10000000000000000555]}'],
    ['{"a":1}', '{"a":{"b":[1e400,-0.0000000000000000000000000000001234567890123456789]}}'],
    ['{"a":"18446744073709551615"}', '{"a":18446744073709551615}'],
  ])('a patch keeps every digit from %s to %s', (from, to) => {
    expectValidPatch(from, to);
  });

  it('a patch ignores different spellings of the same number', () => {
    expect(patchBetween('{"a":[1.0,1e2,-0]}', '{"a":[1,100,0]}').json).toBe('[]');
  });

  it('a patch treats keys with a meaning in JavaScript as ordinary keys', () => {
    const patch = patchBetween(
      '{"constructor":1,"__proto__":{"a":1},"length":1}',
      '{"constructor":2,"__proto__":{"a":2},"toString":1}',
    );
    expect(JSON.parse(patch.json)).toEqual([
      { op: 'remove', path: '/length' },
      { op: 'add', path: '/toString', value: 1 },
      { op: 'replace', path: '/constructor', value: 2 },
      { op: 'replace', path: '/__proto__/a', value: 2 },
    ]);
  });

  it('a patch turns any random value into any other', () => {
    const random = createRandom(7);
    for (let round = 0; round < 1_500; round += 1) {
      const from = { a: randomValue(random, 4) };
      const to = { a: random.below(4) === 0 ? randomValue(random, 4) : varied(random, from.a) };
      expectValidPatch(JSON.stringify(from), JSON.stringify(to));
    }
  });

  it('a patch has no more operations than there are changes', () => {
    const random = createRandom(11);
    for (let round = 0; round < 200; round += 1) {
      const items = list(random.below(30) + 5, (index) => `item ${index}`);
      const changed = [...items];
      const changes = random.below(4) + 1;
      for (let change = 0; change < changes; change += 1) {
        const at = random.below(changed.length);
        if (random.below(2) === 0) changed.splice(at, 1);
        else changed.splice(at, 0, `new ${change}`);
      }
      const patch = expectValidPatch(JSON.stringify({ items }), JSON.stringify({ items: changed }));
      expect(patch.length).toBeLessThanOrEqual(changes);
    }
  });

  const nested = (depth: number, leaf: unknown): unknown =>
    depth === 0 ? leaf : [nested(depth - 1, leaf), ...list(199, (index) => index)];
  const deep = (depth: number, leaf: unknown): unknown => (depth === 0 ? leaf : { a: deep(depth - 1, leaf) });
  const keys = (count: number, value: unknown, prefix = 'property') =>
    Object.fromEntries(list(count, (index) => [`${prefix}${index}`, value]) as [string, unknown][]);
  const fat = (index: number, offset: number) => ({
    ...keys(250, { a: {} }),
    last: index + offset,
  });
  const strings = (count: number) => list(count, (index) => `v${index}`);

  it.each<[string, unknown, unknown, 'coarse' | 'detailed']>([
    ['a list that grows a lot', [], strings(5_000), 'coarse'],
    ['one item that becomes many', ['x'], strings(20_000), 'coarse'],
    ['many items that become one', strings(20_000), ['x'], 'coarse'],
    ['long lists with no item in common', list(50_000, (n) => n), list(50_000, (n) => -n - 1), 'coarse'],
    ['a shuffled list', list(20_000, (n) => n), list(20_000, (n) => (n * 7_919) % 20_000), 'coarse'],
    [
      'one change in a long list',
      list(25_000, (n) => n),
      list(25_000, (n) => (n === 9_000 ? 'x' : n)),
      'detailed',
    ],
    ['long strings', 'x'.repeat(1_000_000), `${'x'.repeat(999_999)}y`, 'detailed'],
    [
      'large items that are almost equal',
      list(30, (n) => fat(n, 0)),
      list(30, (n) => fat(n, 99)),
      'detailed',
    ],
    ['deeply nested lists', nested(100, 1), nested(100, 2), 'detailed'],
    [
      'many lists',
      list(200, (n) => list(100, (m) => n * m)),
      list(200, (n) => list(100, (m) => n * m + 1)),
      'coarse',
    ],
    [
      'an object with many keys',
      keys(19_000, { type: 'string' }),
      keys(19_000, { type: 'number' }),
      'coarse',
    ],
    ['an object with entirely different keys', keys(9_000, 1), keys(9_000, 1, 'other'), 'coarse'],
    [
      'many keys below a long key',
      { ['x'.repeat(500_000)]: keys(1_000, 1) },
      { ['x'.repeat(500_000)]: keys(1_000, 2) },
      'coarse',
    ],
    ['many keys at a great depth', deep(240, keys(1_900, 1)), deep(240, keys(1_900, 2)), 'coarse'],
    ['very many small values', list(300_000, () => ({})), list(300_000, () => []), 'coarse'],
    ['many changed numbers', list(14_000, (n) => n), list(14_000, (n) => n + 0.5), 'coarse'],
  ])('a patch takes a bounded number of steps for %s', (_, from, to, detail) => {
    const texts = [JSON.stringify({ a: from, b: 1 }), JSON.stringify({ a: to, b: 2 })] as const;
    const { result, steps } = countSteps(jsonPatchBetween(...texts));
    expect(steps).toBeLessThan(130);
    expect(result.isCoarse ? 'coarse' : 'detailed').toBe(detail);
    // Twice the larger text, and 100 characters for each of 2,000 operations.
    expect(result.json.length).toBeLessThan(2 * Math.max(texts[0].length, texts[1].length) + 200_000);
    const patch: Operation[] = JSON.parse(result.json);
    const document: unknown = JSON.parse(texts[0]);
    expect(applyPatch(document, patch).every((problem) => problem === null)).toBe(true);
    expect(JSON.stringify(document) === texts[1]).toBe(true);
  });

  it('details small changes beside a field that is too large to compare', () => {
    const field = (value: unknown) => JSON.stringify({ a: keys(40_000, value), b: { c: value, d: 1 } });
    const { json, isCoarse } = patchBetween(field(1), field(2));
    expect(isCoarse).toBe(true);
    expect(JSON.parse(json)).toEqual([
      { op: 'replace', path: '/b/c', value: 2 },
      { op: 'replace', path: '/a', value: keys(40_000, 2) },
    ]);
  });

  it('a field whose text is unchanged is not parsed', () => {
    const large = JSON.stringify(keys(90_000, { type: 'string' }));
    const { result, steps } = countSteps(jsonPatchBetween(`{"a":${large},"b":1}`, `{"a":${large},"b":2}`));
    expect(result).toEqual({ json: '[{"op":"replace","path":"/b","value":2}]', isCoarse: false });
    expect(steps).toBeLessThan(10);
  });
});

function countSteps<Result>(work: CooperativeTask<Result>): {
  readonly result: Result;
  readonly steps: number;
} {
  for (let steps = 1; ; steps += 1) {
    const { done, value } = work.next();
    if (done) return { result: value, steps };
  }
}

function randomValue(random: Random, depth: number): unknown {
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return random.below(4);
    case 1:
      return random.pick(['', 'a', 'b', '~', '/', 'ä']);
    case 2:
      return null;
    case 3:
      return random.below(2) === 0;
    case 4:
      return random.pick([0.5, -1, 'a/b']);
    case 5:
      return Object.fromEntries(
        list(random.below(5), () => [
          random.pick(['a', 'b', 'c', 'a/b', '~0', '', '0']),
          randomValue(random, depth - 1),
        ]) as [string, unknown][],
      );
    default:
      return list(random.below(7), () => randomValue(random, depth - 1));
  }
}

/** A copy with a few changes at any depth. */
function varied(random: Random, value: unknown): unknown {
  if (random.below(6) === 0) return randomValue(random, 2);
  if (Array.isArray(value)) {
    const items = value.map((item) => (random.below(3) === 0 ? varied(random, item) : item));
    if (random.below(2) === 0)
      items.splice(random.below(items.length + 1), random.below(3), randomValue(random, 2));
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(() => random.below(5) > 0);
  return Object.fromEntries([
    ...fields.map(([key, field]) => [key, random.below(3) === 0 ? varied(random, field) : field]),
    ...(random.below(3) === 0 ? [['added', randomValue(random, 2)]] : []),
  ]);
}
