import { applyPatch, parsePatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { runToCompletion } from '../concurrency/cooperative-task.ts';
import { compareVersions } from './compare-versions.ts';
import type { PresetVersion } from './preset.ts';

function version(number: number, systemPrompt: string | null, configJson = '{}'): PresetVersion {
  return {
    id: '',
    presetId: '',
    version: number,
    dialect: 'responses',
    configJson,
    extensionJson: null,
    systemPrompt,
    creatorId: '',
    createdAt: '',
  };
}

function promptDiff(from: string | null, to: string | null): string | null {
  return runToCompletion(compareVersions('my.slug~', version(3, from), version(12, to))).systemPromptDiff;
}

/** Checks the diff with an independent implementation, and returns it. */
function expectValidDiff(from: string | null, to: string | null): string {
  const diff = promptDiff(from, to) ?? expect.fail('there is no diff');
  expect(diff.startsWith('--- my.slug~@3\n+++ my.slug~@12\n@@ -')).toBe(true);
  expect(parsePatch(diff)).toHaveLength(1);
  for (const autoConvertLineEndings of [true, false])
    expect(applyPatch(from ?? '', diff, { autoConvertLineEndings })).toBe(to ?? '');
  return diff;
}

const lines = (count: number, line: (index: number) => string, end = '\n') =>
  Array.from({ length: count }, (_, index) => line(index) + end).join('');

describe('the diff of two system prompts', () => {
  it.each([null, '', 'Be brief.', 'a\nb\n'])('the prompt diff is null if both prompts are %j', (prompt) => {
    expect(promptDiff(prompt, prompt)).toBeNull();
  });

  it.each<[string | null, string | null]>([
    ['Be brief.', 'Be kind.'],
    ['a\nb\nc', 'a\nB\nc'],
    ['a\n', 'a'],
    ['a', 'a\n'],
    ['a\n\n\n', 'a\n'],
    [null, 'One line'],
    ['One line', null],
    [null, 'One line\n'],
    ['One line\nanother\n', null],
    [null, '\n'],
    ['\n', null],
    ['a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['a\nb', 'a\r\nb'],
    ['a\rb', 'a\rc'],
    ['a\u2028b\u0085c\vd', 'a\u2028B\u0085c\vd'],
    ['-- x\n++ y\n@@ -1 +1 @@\n', '-- X\n++ Y\n@@ -1 +2 @@\n'],
    ['--- a\n+++ b\n', '--- a\n+++ c\n'],
    ['\\ No newline at end of file', '\\ No newline at end of file\n'],
    [' leading', '  leading'],
    ['trailing ', 'trailing'],
    ['Größe 🙂', 'Größe 🙃'],
    [lines(3_000, (index) => `line ${index}`), lines(3_000, (index) => `line ${index + 1}`)],
  ])('the prompt diff turns %j into %j', (from, to) => {
    expectValidDiff(from, to);
  });

  it('a prompt diff shows three lines of context around a change', () => {
    const from = lines(20, (index) => `line ${index}`);
    expect(expectValidDiff(from, from.replace('line 10\n', 'line ten\n'))).toBe(
      [
        '--- my.slug~@3\n+++ my.slug~@12\n@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n',
        '-line 10\n+line ten\n line 11\n line 12\n line 13\n',
      ].join(''),
    );
  });

  const many = lines(2_500, (index) => `one ${index}`);
  const others = lines(2_600, (index) => `other ${index}`);
  const windows = lines(2_500, (index) => `three ${index}`, '\r\n');

  it.each<[string, string | null, string | null, string]>([
    ['different lines', many, others, '-1,2500 +1,2600'],
    ['nothing', many, null, '-1,2500 +0,0'],
    ['lines from nothing', null, many, '-0,0 +1,2500'],
    ['lines without a final newline', many, others.trimEnd(), '-1,2500 +1,2600'],
    ['lines with a final newline that was missing', many.trimEnd(), others, '-1,2500 +1,2600'],
    ['lines from nothing, without a final newline', null, many.trimEnd(), '-0,0 +1,2500'],
    ['lines with Windows line endings', many, windows, '-1,2500 +1,2500'],
    ['one line', many, 'One', '-1,2500 +1,1'],
    ['empty lines', many, '\n'.repeat(2_500), '-1,2500 +1,2500'],
  ])(
    'a prompt diff replaces everything in one hunk if more than 2,000 lines become %s',
    (_, from, to, ranges) => {
      expect(expectValidDiff(from, to).split('\n')[2]).toBe(`@@ ${ranges} @@`);
    },
  );

  it('the prompt diff turns any random text into any other', () => {
    const random = createRandom(3);
    const pieces = ['a', 'b', '', ' ', '-', '+', '\\', '@@', 'a\r', '\r'];
    const text = () => {
      const count = random.below(8);
      const joined = Array.from({ length: count }, () => random.pick(pieces)).join('\n');
      return random.below(2) === 0 ? joined : `${joined}\n`;
    };
    for (let round = 0; round < 1_000; round += 1) {
      const [from, to] = [text(), text()];
      if (from !== to) expectValidDiff(from, to);
    }
  });

  const binary = (seed: number) => {
    const random = createRandom(seed);
    return lines(250_000, () => random.pick(['a', 'b']));
  };
  const short = (seed: number) => {
    const random = createRandom(seed);
    return lines(20_000, () => random.pick(['a', 'b']));
  };
  it.each<[string, string, string, boolean]>([
    ['hundreds of thousands of lines', binary(1), binary(2), true],
    ['short lines of two kinds', short(1), short(2), true],
    ['empty lines only', '\n'.repeat(500_000), '\n'.repeat(400_000), false],
    ['repeating lines', 'a\nb\nc\n'.repeat(80_000), 'b\na\nc\n'.repeat(80_000), true],
    ['one very long line', 'x'.repeat(1_000_000), `${'x'.repeat(999_999)}y`, false],
    ['thousands of different lines', many, others, false],
  ])('a prompt diff takes a bounded number of steps for %s', (_, from, to, isCoarse) => {
    const work = compareVersions('s', version(1, from), version(2, to));
    let steps = 1;
    let next = work.next();
    for (; !next.done; next = work.next()) steps += 1;
    expect(steps).toBeLessThan(60);
    expect(next.value.coarse).toEqual(isCoarse ? ['system_prompt_diff'] : []);
    expect(applyPatch(from, next.value.systemPromptDiff ?? '') === to).toBe(true);
  });
});

describe('the diff of two versions', () => {
  it('the diff of two versions has both numbers and a patch of the config', () => {
    expect(
      runToCompletion(compareVersions('s', version(2, null, '{"a":1}'), version(1, null, '{"b":2}'))),
    ).toEqual({
      from: 2,
      to: 1,
      configPatchJson: '[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":2}]',
      systemPromptDiff: null,
      extensionPatchJson: '[]',
      coarse: [],
    });
  });
});
