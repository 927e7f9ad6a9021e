import { expect, test } from 'vitest';
import { revertEdit } from './revert-edit.ts';

test.each([
  ['nothing was changed since', '[1, 2, 3]', '[1, 3]', '[1, 3]', '[1, 2, 3]'],
  ['the text next to it was changed', '{"a": 1, "b": 2}', '{"a": 1}', '{"a": 9999}', undefined],
  [
    'text before it was typed',
    '{"name": "x", "a": 1, "b": 2}',
    '{"name": "x", "a": 1}',
    '{"name": "xyz", "a": 1}',
    '{"name": "xyz", "a": 1, "b": 2}',
  ],
  [
    'text after it was typed',
    '[1, 2, {"name": "x"}]',
    '[1, {"name": "x"}]',
    '[1, {"name": "xyz"}]',
    '[1, 2, {"name": "xyz"}]',
  ],
  ['the same place was changed', '{"tools": [1]}', '{}', '{"tools": [2]}', undefined],
  ['text before it was removed', 'abcdef 123', 'abcdef 3', 'af 3', 'af 123'],
  ['text before it was replaced', 'abc 123', 'abc 3', '12345c 3', '12345c 123'],
  ['text after it was removed', '123 abcdef', '3 abcdef', '3 ', '123 '],
  ['a digit like those beside it was typed', '112', '12', '122', '1122'],
  ['all of it was removed', '[1, 2]', '[1]', '', undefined],
])('a revert keeps later changes, or does nothing, if %s', (_, before, after, now, expected) => {
  expect(revertEdit(before, after, now)).toBe(expected);
});
