import { describe, expect, it } from 'vitest';
import { parseExact } from '../../core/json-text.ts';
import { type Paint, paintNothing } from '../paint.ts';
import type { Diff } from './answers.ts';
import { renderDiff } from './render-diff.ts';

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
  it('tells what was and what is, with all digits, and the lines of the prompt', () => {
    expect(renderDiff('s', changed, { seed: 1, stop: ['a\n'] }, paintNothing)).toBe(
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

  it('paints what goes and what comes', () => {
    const paint: Paint = (style, text) => `<${style}>${text}`;
    const painted = renderDiff('s', changed, { seed: 1 }, paint).split('\n');
    expect(painted).toContain('<red>- /seed: 1');
    expect(painted).toContain('<green>+ /provider: {"sort":"price"}');
    expect(painted).toContain('<red>--- old');
    expect(painted).toContain('<cyan>@@ -1,3 +1,3 @@');
  });

  it('says when there is no change', () => {
    expect(renderDiff('s', same, {}, paintNothing)).toBe('s@1 and s@3 are the same.');
  });
});
