import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonString } from './find-json-string.ts';

const find = (json: string, ...path: string[]) => {
  const bytes = Buffer.from(json);
  const position = findJsonString(bytes, path);
  return position && bytes.toString('utf8', position.start, position.end);
};

describe('finding a string in JSON', () => {
  it.each([
    ['{"id":"a"}', ['id'], 'a'],
    [' {\r\n\t"id" : "a" }', ['id'], 'a'],
    ['{"id":""}', ['id'], ''],
    ['{"output":[{"id":"b"}],"id":"a"}', ['id'], 'a'],
    ['{"output":{"id":"b","x":[[{}]]},"n":-1.5e3,"t":true,"id":"a"}', ['id'], 'a'],
    ['{"text":"\\"id\\":\\"b\\\\","id":"a"}', ['id'], 'a'],
    ['{"x":"}{][","id":"a"}', ['id'], 'a'],
    ['{"type":"t","response":{"status":"s","id":"a"}}', ['response', 'id'], 'a'],
    ['{"response":{"error":null},"id":"b"}', ['response', 'id'], undefined],
    ['{"output":[{"id":"b"}]}', ['id'], undefined],
    ['{"id":null}', ['id'], undefined],
    ['{"id":{"id":"b"}}', ['id'], undefined],
    ['{"ids":"b"}', ['id'], undefined],
    ['{"response":"id"}', ['response', 'id'], undefined],
    ['{}', ['id'], undefined],
    ['["id","a"]', ['id'], undefined],
    ['{"id":"a', ['id'], undefined],
    ['{"x":[1,2', ['id'], undefined],
    ['{"x":"y', ['id'], undefined],
    ['{"id"', ['id'], undefined],
    ['', ['id'], undefined],
  ])('searching %s for %j finds %j', (json, path, expected) => {
    expect(find(json, ...path)).toBe(expected);
  });

  it('agrees with JSON.parse', () => {
    const key = fc.constantFrom('id', 'response', 'output', 'a"b', 'ü');
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), fc.constantFrom(0, 2), (object, indent) => {
        const found = find(JSON.stringify(object, null, indent), 'id');
        const expected = typeof object.id === 'string' ? JSON.stringify(object.id).slice(1, -1) : undefined;
        expect(found).toBe(expected);
      }),
    );
  });
});
