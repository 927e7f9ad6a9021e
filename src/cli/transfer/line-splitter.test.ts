import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

function split(text: string, chunkBytes: number): { lines: string[]; rest: string } {
  const splitter = new LineSplitter(1_000);
  const bytes = Buffer.from(text);
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes)
    lines.push(...splitter.push(bytes.subarray(start, start + chunkBytes)).map(String));
  return { lines, rest: String(splitter.rest()) };
}

describe('LineSplitter', () => {
  it.each([
    ['', [], ''],
    ['\n', [''], ''],
    ['one\ntwo\n', ['one', 'two'], ''],
    ['one\n\ntwo', ['one', ''], 'two'],
    ['日本\u2028語\r\n🙂\u0085\n', ['日本\u2028語\r', '🙂\u0085'], ''],
  ])('the line splitter splits %j the same way for all chunk sizes', (text, lines, rest) => {
    for (const chunkBytes of [1, 2, 3, 7, 1_000]) expect(split(text, chunkBytes)).toEqual({ lines, rest });
  });

  it('the line splitter rejects a line over the limit', () => {
    const splitter = new LineSplitter(10);
    splitter.push(Buffer.from('0123456789\n01234'));
    expect(() => splitter.push(Buffer.from('567890'))).toThrow(RangeError);
  });
});
