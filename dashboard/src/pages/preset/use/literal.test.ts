import { expect, it } from 'vitest';
import { parseExactJson } from '../../../api/exact-json.ts';
import type { JsonObject } from '../../../features/version-content/config-values.ts';
import { literal } from './literal.ts';

it.each<[json: string, typescript: string, python: string]>([
  ['{}', '{}', '{}'],
  ['{"a": "<a>", "b": 1}', "{ a: '<a>', b: 1 }", '{"a": "<a>", "b": 1}'],
  ['{"a": true, "b": null}', '{ a: true, b: null }', '{"a": True, "b": None}'],
  ['{"a": [{"b": "c"}, []]}', "{ a: [{ b: 'c' }, []] }", '{"a": [{"b": "c"}, []]}'],
  ['{"a": 12345678901234567890}', '{ a: 12345678901234567890 }', '{"a": 12345678901234567890}'],
  ['{"a-b": "it\'s \\"x\\"\\n"}', '{ "a-b": "it\'s \\"x\\"\\n" }', '{"a-b": "it\'s \\"x\\"\\n"}'],
])('the JSON %s is written as a literal in TypeScript and Python', (json, typescript, python) => {
  const object = parseExactJson(json) as JsonObject;
  expect(literal(object, 'json')).toBe(json);
  expect(literal(object, 'typescript')).toBe(typescript);
  expect(literal(object, 'python')).toBe(python);
});

it('a long object is broken into lines', () => {
  const object = { customer: 'x'.repeat(40), tone: 'formal', orders: [] };
  expect(literal(object, 'typescript', 2)).toBe(
    `{\n    customer: '${'x'.repeat(40)}',\n    tone: 'formal',\n    orders: [],\n  }`,
  );
  expect(JSON.parse(literal(object, 'json'))).toEqual(object);
});
