import { describe, expect, it } from 'vitest';
import { ExportParser, LineSplitter } from './export-parser.ts';

const start = { type: 'export', format: 1, presets: 2 };
const preset = (slug: string, versions: number) => ({ type: 'preset', slug, versions });
const version = (slug: string, number: number) => ({ type: 'version', slug, version: number });
const testCase = (slug: string, name: string) => ({ type: 'case', slug, name });
const end = { type: 'end', presets: 2, versions: 3 };
const whole = [start, preset('a', 2), version('a', 1), version('a', 2), preset('b', 1), version('b', 1), end];

function parse(lines: readonly (object | string)[], text = textOf(lines)): ExportParser {
  const parser = new ExportParser('The file');
  parser.push(Buffer.from(text));
  parser.finish();
  return parser;
}

function textOf(lines: readonly (object | string)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

describe('ExportParser', () => {
  it('the export parser returns lines with bytes and number, and counts them', () => {
    const parser = new ExportParser('The file');
    const text = textOf(whole);
    const lines = [
      ...parser.push(Buffer.from(text.slice(0, 100))),
      ...parser.push(Buffer.from(text.slice(100))),
    ];
    expect(lines.map(({ bytes }) => `${bytes}\n`).join('')).toBe(text);
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(parser.finish()).toEqual([]);
    expect([parser.presets, parser.versions]).toEqual([2, 3]);
  });

  it('the export parser accepts cases and a draft after the versions of their preset', () => {
    const tested = { ...preset('b', 1), cases: ['x', 'y'] };
    const cases = [testCase('b', 'x'), testCase('b', 'y')];
    const draft = { type: 'draft', slug: 'b' };
    const parser = parse([...whole.slice(0, 4), tested, version('b', 1), ...cases, draft, end]);
    expect([parser.presets, parser.versions]).toEqual([2, 3]);
    expect(() => parse([start, testCase('a', 'x')])).toThrow('line 2 does not follow its preset "a"');
    expect(() => parse([start, preset('a', 2), version('a', 1), { type: 'draft', slug: 'a' }])).toThrow(
      'line 4 comes too early: "a" lacks 1 of 2 versions',
    );
  });

  it('the export parser accepts empty lines and a last line without line feed', () => {
    expect(parse([], textOf(['', ...whole.slice(1)]).trimEnd()).presets).toBe(2);
  });

  it('the export parser drops a byte order mark, even if it is split', () => {
    const bytes = Buffer.from(`\uFEFF${textOf(whole.slice(1, -1))}`);
    const parser = new ExportParser('The file');
    const lines = [...parser.push(bytes.subarray(0, 2)), ...parser.push(bytes.subarray(2))];
    expect(String(lines[0]?.bytes)).toBe(JSON.stringify(whole[1]));
    expect(() => parse([], textOf([whole[1] ?? {}, '\uFEFF{}']))).toThrow('line 2 is not JSON');
  });

  it.each([
    ['an empty file', [], 'The file is empty. An export has at least two lines, even without presets.'],
    ['a file of empty lines', ['', ''], 'The file is empty. '],
    ['a byte order mark alone', ['\uFEFF'], 'The file is empty. '],
    [
      'an export without its end line',
      whole.slice(0, -1),
      'The file is truncated after line 6: an export ends with a line of type "end".',
    ],
    ['a file that is not JSON', ['<html>'], 'The file is not a valid export: line 1 is not JSON.'],
    ['JSON of an unknown type', [{ type: 'constructor' }], 'line 1 is not an export record.'],
    ['null', ['null'], 'line 1 is not an export record.'],
    [
      'a preset without a slug',
      [start, { type: 'preset', versions: 1 }],
      'line 2 must have a string "slug".',
    ],
    ['a later format', [{ ...start, format: 2 }], 'line 1 has format 2, which requires a newer presetd.'],
    ['two exports', [...whole, ...whole], 'line 8 follows the end of the export.'],
    ['an export inside another', [start, start], 'line 2 begins another export.'],
    ['a version without its preset', [start, version('a', 1)], 'line 2 does not follow its preset "a".'],
    ['a slug with control characters', [start, version('\u001b[2J', 1)], 'its preset "\\u001b[2J".'],
    ['a gap in the versions', [preset('a', 2), version('a', 2)], 'line 2 must be version 1 of "a".'],
    [
      'a missing version',
      [preset('a', 2), version('a', 1), preset('b', 1)],
      'line 3 comes too early: "a" lacks 1 of 2 versions.',
    ],
    [
      'a missing case',
      [{ ...preset('a', 1), cases: ['x', 'y'] }, version('a', 1), testCase('a', 'x'), preset('b', 1)],
      'line 4 comes too early: "a" lacks 1 of 2 test cases.',
    ],
    [
      'a draft before a case',
      [{ ...preset('a', 1), cases: ['x'] }, version('a', 1), { type: 'draft', slug: 'a' }],
      'line 3 comes too early: "a" lacks 1 of 1 test case.',
    ],
    [
      'a repeated case',
      [{ ...preset('a', 1), cases: ['x', 'y'] }, version('a', 1), testCase('a', 'x'), testCase('a', 'x')],
      'line 4 must be the test case "y" of "a".',
    ],
    [
      'a case that its preset does not name',
      [preset('a', 1), version('a', 1), testCase('a', 'x')],
      'line 3 is a test case that the line of "a" does not name.',
    ],
    [
      'cases that are not names',
      [{ ...preset('a', 1), cases: [1] }],
      'line 1 must have a list of strings "cases".',
    ],
    [
      'a missing preset',
      [start, preset('b', 1), version('b', 1), end],
      'line 4 counts 2 presets and 3 versions, but the file has 1 and 1.',
    ],
  ])('the export parser rejects %s', (_title, lines, message) => {
    expect(() => parse(lines)).toThrow(message);
  });

  it('the export parser rejects a file truncated at any byte', () => {
    const text = textOf(whole);
    // Without the last line feed it is still complete.
    for (let length = 1; length < text.length - 1; length += 1)
      expect(() => parse([], text.slice(0, length))).toThrow(/is truncated/);
  });
});

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
