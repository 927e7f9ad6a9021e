import { describe, expect, it } from 'vitest';
import { ExportParser } from './export-parser.ts';

const start = { type: 'export', format: 1, presets: 2 };
const preset = (slug: string, versions: number) => ({ type: 'preset', slug, versions });
const version = (slug: string, number: number) => ({ type: 'version', slug, version: number });
const end = { type: 'end', presets: 2, versions: 3 };
const whole = [start, preset('a', 2), version('a', 1), version('a', 2), preset('b', 1), version('b', 1), end];

function read(lines: readonly (object | string)[], text = textOf(lines)): ExportParser {
  const reader = new ExportParser('The file');
  reader.push(Buffer.from(text));
  reader.finish();
  return reader;
}

function textOf(lines: readonly (object | string)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

describe('ExportReader', () => {
  it('gives lines with their bytes and numbers, and counts', () => {
    const reader = new ExportParser('The file');
    const text = textOf(whole);
    const lines = [
      ...reader.push(Buffer.from(text.slice(0, 100))),
      ...reader.push(Buffer.from(text.slice(100))),
    ];
    expect(lines.map(({ bytes }) => `${bytes}\n`).join('')).toBe(text);
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(reader.finish()).toEqual([]);
    expect([reader.presets, reader.versions]).toEqual([2, 3]);
  });

  it('takes a last line without line feed, and empty lines', () => {
    expect(read([], textOf(['', ...whole.slice(1)]).trimEnd()).presets).toBe(2);
  });

  it('takes a byte order mark at the start, in pieces too, which is not passed on', () => {
    const bytes = Buffer.from(`\uFEFF${textOf(whole.slice(1, -1))}`);
    const reader = new ExportParser('The file');
    const lines = [...reader.push(bytes.subarray(0, 2)), ...reader.push(bytes.subarray(2))];
    expect(String(lines[0]?.bytes)).toBe(JSON.stringify(whole[1]));
    expect(() => read([], textOf([whole[1] ?? {}, '\uFEFF{}']))).toThrow('line 2 is not JSON');
  });

  it.each([
    ['nothing', [], 'The file is empty: even an export without presets has two lines.'],
    ['empty lines', ['', ''], 'The file is empty: '],
    ['a byte order mark alone', ['\uFEFF'], 'The file is empty: '],
    [
      'no end',
      whole.slice(0, -1),
      'The file is cut off after line 6: an export ends with a line of the type "end".',
    ],
    ['another file', ['<html>'], 'The file cannot be used: line 1 is not JSON.'],
    ['other JSON', [{ type: 'constructor' }], 'line 1 is not a line of an export.'],
    ['null', ['null'], 'line 1 is not a line of an export.'],
    [
      'a preset without a slug',
      [start, { type: 'preset', versions: 1 }],
      'line 2 must have a string as "slug".',
    ],
    [
      'a later format',
      [{ ...start, format: 2 }],
      'line 1 says format 2, which only a newer presetd can read.',
    ],
    ['two exports', [...whole, ...whole], 'line 8 follows the end of the export.'],
    ['an export inside', [start, start], 'line 2 begins another export inside of this one.'],
    ['a version first', [start, version('a', 1)], 'line 2 does not follow its preset "a".'],
    ['a slug that steers a terminal', [start, version('\u001b[2J', 1)], 'its preset "\\u001b[2J".'],
    ['a gap', [preset('a', 2), version('a', 2)], 'line 2 must be version 1 of "a".'],
    [
      'a missing version',
      [preset('a', 2), version('a', 1), preset('b', 1)],
      'line 3 comes too early: "a" has 2 versions and 1 of them are missing.',
    ],
    [
      'a missing preset',
      [start, preset('b', 1), version('b', 1), end],
      'line 4 has counted 2 presets and 3 versions, and there are 1 and 1.',
    ],
  ])('refuses %s', (_title, lines, message) => {
    expect(() => read(lines)).toThrow(message);
  });

  it('refuses a file that is cut off anywhere', () => {
    const text = textOf(whole);
    // Without its last line feed alone it is still whole.
    for (let length = 1; length < text.length - 1; length += 1)
      expect(() => read([], text.slice(0, length))).toThrow(/cut off/);
  });
});
