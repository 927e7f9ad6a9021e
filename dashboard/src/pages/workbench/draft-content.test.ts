import { describe, expect, test } from 'vitest';
import { parseDraft, shareEqual } from './draft-content.ts';

describe('the content of a draft', () => {
  const before = parseDraft(
    '{"model":"a","tools":[{"name":"b"}],"seed":12345678901234567890,"presetd":{"variables":{"c":{"type":"string"}}}}',
  );

  test('keeps the digits of numbers', () => {
    expect(JSON.stringify(before.body?.seed)).toBe('12345678901234567890');
  });

  test('shares what did not change with the content before', () => {
    const after = parseDraft(before.text.replace('"model":"a"', '"model":"other"'), before);
    expect(after.body).not.toBe(before.body);
    for (const name of ['tools', 'seed', 'presetd']) expect(after.body?.[name]).toBe(before.body?.[name]);
    expect(after.variables).toBe(before.variables);
    expect(parseDraft(before.text, before).body).toBe(before.body);
  });

  test('has no body while the text is not an object', () => {
    expect(parseDraft('{"model":', before)).toMatchObject({ body: undefined, variables: [] });
  });

  test.each([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [[1, 2], [1]],
    [{ a: null }, { a: {} }],
    [{ a: undefined }, { b: undefined }],
  ])('is new if %j becomes %j', (one, other) => {
    expect(shareEqual(one, other)).toEqual(other);
    expect(shareEqual(one, other)).not.toBe(one);
  });
});
