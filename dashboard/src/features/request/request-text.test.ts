import { describe, expect, test } from 'vitest';
import { changeField, insertItem, moveItem, removeField, setField } from './request-text.ts';

const text = `{
  "model": "openai/gpt-5",
  "temperature": 1.0,
  "seed": 12345678901234567890,
  "reasoning": {
    "effort": "high"
  },
  "tools": [
    { "type": "a", "big": 12345678901234567891 },
    { "type": "b" }
  ]
}`;

describe('editing the text of a request', () => {
  test('changes one value and leaves every other character alone', () => {
    expect(setField(text, ['temperature'], 0.2)).toBe(text.replace('1.0,', '0.2,'));
  });

  test('creates the objects on the way to a new value', () => {
    const edited = setField(text, ['provider', 'sort'], 'price');
    expect(JSON.parse(edited).provider).toEqual({ sort: 'price' });
    expect(edited).toContain('"seed": 12345678901234567890');
  });

  test.each(['null', '"text"', '[1]', '{}'])('replaces %s on the way to a new value', (before) => {
    const edited = setField(
      `{"provider": ${before}, "seed": 12345678901234567890}`,
      ['provider', 'sort'],
      'price',
    );
    expect(JSON.parse(edited).provider).toEqual({ sort: 'price' });
    expect(edited).toContain('"seed": 12345678901234567890');
  });

  test('removes objects and lists that become empty', () => {
    expect(removeField(text, ['reasoning', 'effort'])).not.toContain('reasoning');
    const one = removeField(text, ['tools', 0]);
    expect(JSON.parse(one).tools).toEqual([{ type: 'b' }]);
    expect(JSON.parse(removeField(one, ['tools', 0]))).not.toHaveProperty('tools');
  });

  test('keeps an empty request an object', () => {
    expect(removeField('{"model": "a"}', ['model'])).toBe('{}');
  });

  test('does nothing when the removed value is not there', () => {
    expect(removeField(text, ['stop'])).toBe(text);
    expect(changeField(text, ['provider', 'sort'], undefined)).toBe(text);
  });

  test('inserts into a list, and creates it', () => {
    expect(JSON.parse(insertItem(text, ['tools'], 1, 'new')).tools[1]).toBe('new');
    expect(JSON.parse(insertItem(text, ['tools'], 9, 'new')).tools[2]).toBe('new');
    expect(JSON.parse(insertItem(text, ['stop'], 0, 'END')).stop).toEqual(['END']);
    expect(JSON.parse(insertItem('{"stop": null}', ['stop'], 0, 'END')).stop).toEqual(['END']);
  });

  test('replaces a text in place, and formats what is new', () => {
    expect(setField('{"a":"x","b":1}', ['a'], 'yz')).toBe('{"a":"yz","b":1}');
    expect(setField('{\n  "a": 1\n}', ['b', 'c'], 'x')).toBe('{\n  "a": 1,\n  "b": {\n    "c": "x"\n  }\n}');
  });

  test('does not move an item that is not there, or to its own place', () => {
    const spaced = '{"tools": [ 1 ,2]}';
    expect(moveItem(spaced, ['tools'], 0, 0)).toBe(spaced);
    expect(moveItem(spaced, ['tools'], 5, 0)).toBe(spaced);
    expect(moveItem(spaced, ['stop'], 0, 1)).toBe(spaced);
  });

  test('moves an item and keeps its digits', () => {
    const moved = moveItem(text, ['tools'], 0, 1);
    expect(JSON.parse(moved).tools).toMatchObject([{ type: 'b' }, { type: 'a' }]);
    expect(moved).toContain('"big": 12345678901234567891');
  });
});
