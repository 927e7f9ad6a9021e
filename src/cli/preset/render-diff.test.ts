import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { describe, expect, it } from 'vitest';
import type { Diff } from '../../client/preset-answers.ts';
import { parseExact } from '../../core/json-text.ts';
import { noPaint, type Paint } from '../paint.ts';
import { renderDiff } from './render-diff.ts';

const marker = '\\ No newline at end of file';
const same: Diff = { from: { version: 1 }, to: { version: 3 }, config_patch: [], system_prompt_diff: null };
const changed: Diff = {
  ...same,
  config_patch: parseExact(
    '[{"op":"replace","path":"/seed","value":18446744073709551615},{"op":"remove","path":"/stop"},' +
      '{"op":"add","path":"/provider","value":{"sort":"price"}}]',
  ) as Diff['config_patch'],
  system_prompt_diff: '--- s@1\n+++ s@3\n@@ -1,3 +1,3 @@\n Be kind.\n--- old\n+be \u001b[1m brief\n',
};

describe('renderDiff', () => {
  it('a diff shows old and new values with all digits, and the prompt line by line', () => {
    expect(renderDiff('s', changed, { seed: 1, stop: ['a\n'] }, noPaint)).toBe(
      [
        's@1 → s@3',
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
      ].join('\n'),
    );
  });

  it('a diff says which part is not compared in detail', () => {
    const note = 'Too much changed to compare in detail; some unchanged parts are shown.';
    const lines = (coarse: readonly string[]) =>
      renderDiff('s', { ...changed, coarse }, { seed: 1 }, noPaint).split('\n');
    expect(lines([])).not.toContain(note);
    for (const [part, title] of [
      ['config_patch', 'Config'],
      ['system_prompt_diff', 'System prompt'],
    ] as const) {
      const shown = lines([part]);
      expect(shown.filter((line) => line === note)).toHaveLength(1);
      expect(shown[shown.indexOf(note) - 1]).toBe(title);
    }
  });

  it('a diff colors removed and added lines', () => {
    const paint: Paint = (style, text) => `<${style}>${text}`;
    const painted = renderDiff('s', changed, { seed: 1 }, paint).split('\n');
    expect(painted).toContain('<red>- /seed: 1');
    expect(painted).toContain('<green>+ /provider: {"sort":"price"}');
    expect(painted).toContain('<red>--- old');
    expect(painted).toContain('<cyan>@@ -1,3 +1,3 @@');
  });

  it.each([
    ['neither side has one', 'a\nb', 'a\nc', [' a', '-b', '+c']],
    ['neither has one, in an unchanged line', 'a\nb', 'c\nb', ['-a', '+c', ' b']],
    ['the old side is empty', '', 'a\nb', ['+a', '+b']],
    ['only the new side has one', 'a\nb', 'a\nb\n', [' a', '-b', marker, '+b']],
    ['only the old side has one', 'a\nb\n', 'a\nb', [' a', '-b', '+b', marker]],
    ['both have one', 'b\n', 'c\n', ['-b', '+c']],
    ['a line only looks like the marker', `${marker}\n`, 'c\n', [`-${marker}`, '+c']],
  ])(
    'a diff marks a missing final line feed only if the sides differ: %s',
    (_title, before, after, expected) => {
      const system_prompt_diff = createTwoFilesPatch('s@1', 's@3', before, after, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
      });
      const lines = renderDiff('s', { ...same, system_prompt_diff }, {}, noPaint).split('\n');
      expect(lines.slice(lines.findIndex((line) => line.startsWith('@@')) + 1)).toEqual(expected);
    },
  );

  it('a diff without changes says so', () => {
    expect(renderDiff('s', same, {}, noPaint)).toBe('s@1 and s@3 are identical.');
  });
});
