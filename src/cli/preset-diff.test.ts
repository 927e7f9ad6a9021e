import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { describe, expect, it } from 'vitest';
import type { PatchOperation, PresetVersionDiff } from '../api/versions.ts';
import { parseExact } from '../core/json/json-text.ts';
import { expandPatch, renderDiff } from './preset-diff.ts';
import { noPaint, type Paint } from './ui/output.ts';

const marker = '\\ No newline at end of file';
const same: PresetVersionDiff = {
  from: { version: 1 },
  to: { version: 3 },
  config_patch: [],
  system_prompt_diff: null,
  presetd_patch: [],
  warnings: [],
  coarse: [],
};
const olderVersion = (config: object = {}) => ({ config: { ...config }, presetd: { note: 'First' } });
const changed: PresetVersionDiff = {
  ...same,
  config_patch: parseExact(
    '[{"op":"replace","path":"/seed","value":18446744073709551615},{"op":"remove","path":"/stop"},' +
      '{"op":"add","path":"/provider","value":{"sort":"price"}}]',
  ) as PatchOperation[],
  system_prompt_diff: '--- s@1\n+++ s@3\n@@ -1,3 +1,3 @@\n Be kind.\n--- old\n+be \u001b[1m brief\n',
  presetd_patch: [
    { op: 'replace', path: '/note', value: 'Shorter' },
    { op: 'add', path: '/policy', value: {} },
  ],
};

describe('renderDiff', () => {
  it('a diff shows old and new values with all digits, and the prompt line by line', () => {
    expect(renderDiff('s', changed, olderVersion({ seed: 1, stop: ['a\n'] }), noPaint)).toBe(
      [
        's@1 → s@3',
        '',
        'Note',
        '- /note: "First"',
        '+ /note: "Shorter"',
        '',
        'Config',
        '- /seed: 1',
        '+ /seed: 18446744073709551615',
        '- /stop: ["a\\n"]',
        '+ /provider: {"sort":"price"}',
        '',
        'System prompt',
        '@@ -1,3 +1,3 @@',
        ' Be kind.',
        '--- old',
        '+be \\u001b[1m brief',
        '',
        'presetd',
        '+ /policy: {}',
      ].join('\n'),
    );
  });

  it('a diff says which part is not compared in detail', () => {
    const note = 'Too much changed to compare in detail; some unchanged parts are shown.';
    const lines = (coarse: PresetVersionDiff['coarse']) =>
      renderDiff('s', { ...changed, coarse }, olderVersion({ seed: 1 }), noPaint).split('\n');
    expect(lines([])).not.toContain(note);
    for (const [part, title] of [
      ['config_patch', 'Config'],
      ['system_prompt_diff', 'System prompt'],
      ['presetd_patch', 'presetd'],
    ] as const) {
      const shown = lines([part]);
      expect(shown.filter((line) => line === note)).toHaveLength(1);
      expect(shown[shown.indexOf(note) - 1]).toBe(title);
    }
  });

  it('a diff colors removed and added lines', () => {
    const paint: Paint = (style, text) => `<${style}>${text}`;
    const painted = renderDiff('s', changed, olderVersion({ seed: 1 }), paint).split('\n');
    expect(painted).toContain('<red>- /seed: 1');
    expect(painted).toContain('<green>+ /provider: {"sort":"price"}');
    expect(painted).toContain('<red>--- old');
    expect(painted).toContain('<cyan>@@ -1,3 +1,3 @@');
  });

  it.each([
    ['neither side has one', 'a\nb', 'a\nc', [' a', '-b', '+c']],
    ['neither has one, in an unchanged line', 'a\nb', 'c\nb', ['-a', '+c', ' b']],
    ['the old side is empty', '', 'a\nb', ['+a', '+b']],
    ['only the new side has one', 'a\nb', 'a\nb\n', [' a', ' b', '\\ Line feed added at the end']],
    ['the new side has one, and more lines', 'a\nb', 'a\nb\nc\n', [' a', ' b', '+c']],
    ['the old side has one, and more lines', 'a\nb\nc\n', 'a\nb', [' a', ' b', '-c']],
    ['only the old side has one', 'a\nb\n', 'a\nb', [' a', ' b', '\\ Line feed removed at the end']],
    ['the new side has one, after changes', 'a\nb', 'x\nb\nc\n', ['-a', '+x', ' b', '+c']],
    ['the old side has one, after changes', 'a\nb\nc\n', 'x\nb', ['-a', '+x', ' b', '-c']],
    ['only the old side has one, and the line differs', 'b\n', 'c', ['-b', '+c', marker]],
    ['both have one', 'b\n', 'c\n', ['-b', '+c']],
    ['a line only looks like the marker', `${marker}\n`, 'c\n', [`-${marker}`, '+c']],
  ])(
    'a diff marks a missing final line feed only if the sides differ: %s',
    (_title, before, after, expected) => {
      const system_prompt_diff = createTwoFilesPatch('s@1', 's@3', before, after, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
      });
      const lines = renderDiff('s', { ...same, system_prompt_diff }, olderVersion(), noPaint).split('\n');
      expect(lines.slice(lines.findIndex((line) => line.startsWith('@@')) + 1)).toEqual(expected);
    },
  );

  it('a diff without changes says so', () => {
    expect(renderDiff('s', same, olderVersion(), noPaint)).toBe('s@1 and s@3 are identical.');
  });
});

const change = (path: string, before: unknown, after: unknown) => ({ path, before, after });

interface Expansion {
  readonly title: string;
  readonly config: unknown;
  readonly patch: readonly PatchOperation[];
  readonly changes: readonly object[];
}

describe('expandPatch', () => {
  it.each<Expansion>([
    {
      title: 'a replaced value, with the old one',
      config: { temperature: 0.2 },
      patch: [{ op: 'replace', path: '/temperature', value: 0.7 }],
      changes: [change('/temperature', 0.2, 0.7)],
    },
    {
      title: 'added and removed values',
      config: { stop: ['a'], provider: { order: ['x'] } },
      patch: [
        { op: 'remove', path: '/stop' },
        { op: 'add', path: '/provider/sort', value: 'price' },
      ],
      changes: [change('/stop', ['a'], undefined), change('/provider/sort', undefined, 'price')],
    },
    {
      title: 'array indexes relative to the previous operation',
      config: { models: ['a', 'b', 'c'] },
      patch: [
        { op: 'remove', path: '/models/0' },
        { op: 'replace', path: '/models/1', value: 'd' },
        { op: 'add', path: '/models/1', value: 'e' },
        { op: 'add', path: '/models/-', value: 'f' },
        { op: 'remove', path: '/models/2' },
      ],
      changes: [
        change('/models/0', 'a', undefined),
        change('/models/1', 'c', 'd'),
        change('/models/1', undefined, 'e'),
        change('/models/-', undefined, 'f'),
        change('/models/2', 'd', undefined),
      ],
    },
    {
      title: 'escaped keys, and keys that objects inherit',
      config: JSON.parse('{"a/b":{"c~d":1},"__proto__":2}'),
      patch: [
        { op: 'replace', path: '/a~1b/c~0d', value: 3 },
        { op: 'add', path: '/constructor', value: 4 },
        { op: 'replace', path: '/__proto__', value: 5 },
        { op: 'remove', path: '/__proto__' },
      ],
      changes: [
        change('/a~1b/c~0d', 1, 3),
        change('/constructor', undefined, 4),
        change('/__proto__', 2, 5),
        change('/__proto__', 5, undefined),
      ],
    },
  ])('expandPatch resolves $title', ({ config, patch, changes }) => {
    expect(expandPatch(config, patch)).toEqual(changes);
  });
});
