import { describe, expect, test } from 'vitest';
import { fieldKey, findIncomplete, type IncompleteFields } from './incomplete-fields.ts';

const seed = { label: 'seed', text: '{"a":', of: '{\n  "b": 1\n}' };
const fields = (key: readonly (string | number)[], field = seed): IncompleteFields =>
  new Map([[fieldKey([...key]), field]]);

describe('an incomplete text', () => {
  test('counts while the draft has the value that it should replace', () => {
    expect(findIncomplete(fields(['seed']), { seed: { b: 1 } })).toBe(seed);
    expect(findIncomplete(fields(['tools', 1, 'x']), { tools: [{}, { x: { b: 1 } }] })).toBe(seed);
  });

  test('no longer counts once something else has changed the value', () => {
    expect(findIncomplete(fields(['seed']), { seed: { b: 2 } })).toBeUndefined();
    expect(findIncomplete(fields(['seed']), {})).toBeUndefined();
  });

  test('does not count while the request is not a JSON object, which is a problem of its own', () => {
    expect(findIncomplete(fields(['seed']), undefined)).toBeUndefined();
  });

  test('may stand for a value that is missing, but not in a part that was removed', () => {
    const missing = { ...seed, of: '{}' };
    expect(findIncomplete(fields(['tools', 0, 'parameters'], missing), { tools: [{}] })).toBe(missing);
    expect(findIncomplete(fields(['tools', 0, 'parameters'], missing), { tools: [] })).toBeUndefined();
  });
});
