import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../core/json/json-object.ts';
import { findJsonStrings, type StringShape } from './find-json-strings.ts';

/** Also checks that the text may begin later, and be latin1 of UTF-8. */
const find = (json: string, shape: StringShape<string>) => {
  const found = findJsonStrings(json, shape).map(
    ({ kind, start, end }) => `${kind} ${json.slice(start, end)}`,
  );
  const bytes = Buffer.from(`"{" ${json}`);
  const later = findJsonStrings(bytes.toString('latin1'), shape, 4).map(
    ({ kind, start, end }) => `${kind} ${bytes.toString('utf8', start, end)}`,
  );
  expect(later).toEqual(found);
  return found;
};

const id = { id: 'id' };
const ofResponse = { response: { id: 'id' } };
const items = { output: [{ id: 'item' }] } as const;

describe('finding strings in JSON', () => {
  it.each<[string, StringShape<string>, readonly string[]]>([
    ['{"id":"a"}', id, ['id a']],
    [' {\r\n\t"id" : "a" }', id, ['id a']],
    ['{"id":""}', id, ['id ']],
    ['{"output":[{"id":"b"}],"id":"a"}', id, ['id a']],
    ['{"output":{"id":"b","x":[[{}]]},"n":-1.5e3,"t":true,"id":"a"}', id, ['id a']],
    ['{"text":"\\"id\\":\\"b\\\\","id":"a"}', id, ['id a']],
    ['{"x":"}{][","id":"a"}', id, ['id a']],
    ['{"type":"t","response":{"status":"s","id":"a"}}', ofResponse, ['id a']],
    ['{"response":{"error":null},"id":"b"}', ofResponse, []],
    ['{"output":[{"id":"b"}]}', id, []],
    ['{"id":null}', id, []],
    ['{"id":{"id":"b"}}', id, []],
    ['{"id":["b"]}', id, []],
    ['{"ids":"b"}', id, []],
    ['{"response":"id"}', ofResponse, []],
    ['{"response":["id"]}', ofResponse, []],
    ['{"toString":"b","__proto__":"c","id":"a"}', id, ['id a']],
    ['{}', id, []],
    ['["id","a"]', id, []],
    ['"a"', 'text', ['text a']],
    ['{"output":[]}', items, []],
    [
      '{"output":[ {"id":"a"} , {"x":1} , null , 7 , [] , "b" , {"id":"c"} ],"id":"d"}',
      items,
      ['item a', 'item c'],
    ],
    ['{"output":{"id":"a"}}', items, []],
    ['{"output":"a"}', items, []],
    ['{"a":{"b":"c"},"id":"d"}', { a: ['text'], id: 'id' }, ['id d']],
    ['{"a":{},"b":[],"id":"d"}', { a: { id: 'id' }, b: [{ id: 'id' }], id: 'id' }, ['id d']],
    ['{"a":[["x"],[],["y","z"]]}', { a: [['text']] }, ['text x', 'text y', 'text z']],
    ['{"b":"1","a":"2"}', { a: 'first', b: 'second' }, ['second 1', 'first 2']],
    ['{"id":"a', id, []],
    ['{"id":"a"', id, ['id a']],
    ['{"x":[1,2', id, []],
    ['{"x":"y', id, []],
    ['{"id', id, []],
    ['{"id"', id, []],
    ['{"id","id":"b"}', id, []],
    ['{"output":[{"id":"a"},{"id":"b', items, ['item a']],
    ['{"output":[{"id":"a"}', items, ['item a']],
    ['{"output":[', items, []],
    ['{"output":[,]}', items, []],
    ['', id, []],
  ])('searching %s for %j finds %j', (json, shape, expected) => {
    expect(find(json, shape)).toEqual(expected);
  });

  it('agrees with JSON.parse', () => {
    const shape = {
      id: 'id',
      output: [{ id: 'item', output: ['text'] }],
      response: { id: 'nested' },
    } as const;
    const key = fc.constantFrom('id', 'response', 'output', 'a"b', 'ü');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (json, indent) => {
        expect(find(JSON.stringify(json, null, indent), shape)).toEqual(stringsIn(json, shape));
      }),
    );
  });
});

/** The same by a parsed value. */
function stringsIn(value: unknown, shape: StringShape<string>): readonly string[] {
  if (typeof shape === 'string')
    return typeof value === 'string' ? [`${shape} ${JSON.stringify(value).slice(1, -1)}`] : [];
  if (isShapeOfList(shape))
    return Array.isArray(value) ? value.flatMap((each) => stringsIn(each, shape[0])) : [];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const wanted = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return wanted === undefined ? [] : stringsIn(each, wanted);
  });
}

function isShapeOfList(shape: object): shape is readonly [StringShape<string>] {
  return Array.isArray(shape);
}
