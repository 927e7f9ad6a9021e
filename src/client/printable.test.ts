import { describe, expect, it } from 'vitest';
import { oneLine, printable, truncate } from './printable.ts';

describe('text from elsewhere', () => {
  it.each([
    ['plain, Ünïcode 日本 🙂', 'plain, Ünïcode 日本 🙂', 'plain, Ünïcode 日本 🙂'],
    ['two\nlines\tand a tab', 'two\nlines\tand a tab', 'two\\nlines\\tand a tab'],
    ['\u001b[31mred', '\\u001b[31mred', '\\u001b[31mred'],
    ['\u009b2J\u007f\r', '\\u009b2J\\u007f\\r', '\\u009b2J\\u007f\\r'],
    ['turned \u202e round', 'turned \\u202e round', 'turned \\u202e round'],
  ])('%j cannot steer a terminal', (text, block, line) => {
    expect([printable(text), oneLine(text)]).toEqual([block, line]);
  });
});

describe('clip', () => {
  it.each([
    ['abcd', 'abcd'],
    ['abcde', 'abc…'],
    ['🙂🙂🙂🙂', '🙂🙂🙂🙂'],
    ['🙂🙂🙂🙂🙂', '🙂🙂🙂…'],
    ['👩‍👩‍👧e\u0301xyz', '👩‍👩‍👧e\u0301x…'],
  ])('%j becomes %j where four letters have room', (text, clipped) => {
    expect(truncate(text, 4)).toBe(clipped);
  });
});
