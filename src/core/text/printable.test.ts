import { describe, expect, it } from 'vitest';
import { oneLine, printable, truncate } from './printable.ts';

describe('untrusted text', () => {
  it.each([
    ['plain, Ünïcode 日本 🙂', 'plain, Ünïcode 日本 🙂', 'plain, Ünïcode 日本 🙂'],
    ['two\nlines\tand a tab', 'two\nlines\tand a tab', 'two\\nlines\\tand a tab'],
    ['\u001b[31mred', '\\u001b[31mred', '\\u001b[31mred'],
    ['\u009b2J\u007f\r', '\\u009b2J\\u007f\\r', '\\u009b2J\\u007f\\r'],
    ['reversed \u202e text', 'reversed \\u202e text', 'reversed \\u202e text'],
  ])('the text %j cannot control a terminal', (text, block, line) => {
    expect([printable(text), oneLine(text)]).toEqual([block, line]);
  });
});

describe('truncate', () => {
  it.each([
    ['abcd', 'abcd'],
    ['abcde', 'abc…'],
    ['🙂🙂🙂🙂', '🙂🙂🙂🙂'],
    ['🙂🙂🙂🙂🙂', '🙂🙂🙂…'],
    ['👩‍👩‍👧e\u0301xyz', '👩‍👩‍👧e\u0301x…'],
  ])('%j is truncated to four letters as %j', (text, clipped) => {
    expect(truncate(text, 4)).toBe(clipped);
  });
});
