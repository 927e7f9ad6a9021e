import { describe, expect, it } from 'vitest';
import { ImportTally, type Outcome, SkippedReport } from './import-report.ts';

describe('ImportTally', () => {
  it('the import tally counts presets by outcome', () => {
    const tally = new ImportTally();
    const outcomes: readonly Outcome[] = ['created', 'created', 'updated', 'unchanged', 'ahead'];
    for (const [index, outcome] of outcomes.entries())
      tally.add({ slug: `p${index}`, outcome, versions_added: index }, false);
    expect(tally.hasConflicts).toBe(false);
    expect(tally.summarize()).toBe(
      'Read 5 presets, imported 10 new versions: 2 created, 1 updated, 1 unchanged, 1 ahead on the server, 0 conflicts.',
    );
  });

  it.each<[readonly Outcome[], string]>([
    [['created', 'updated', 'updated'], '1 created'],
    [['unchanged', 'updated'], '1 updated'],
    [['unchanged', 'unchanged'], '1 unchanged'],
    [['unchanged', 'ahead'], '1 ahead'],
    [['created', 'conflict', 'updated'], '1 conflict.'],
  ])('the import tally counts a preset sent in parts, %j, once: %s', (outcomes, expected) => {
    const tally = new ImportTally();
    for (const outcome of outcomes) tally.add({ slug: 'p', outcome, versions_added: 1 }, true);
    expect(tally.summarize()).toContain(`Read 1 preset, imported ${outcomes.length} new versions: `);
    expect(tally.summarize()).toContain(expected);
  });

  it('the import tally detects an outcome that an earlier part already had', () => {
    const tally = new ImportTally();
    const add = (outcome: Outcome) => tally.add({ slug: 'p', outcome, versions_added: 0 }, true);
    expect((['ahead', 'ahead', 'conflict', 'conflict', 'ahead'] as const).map(add)).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(tally.hasConflicts).toBe(true);
  });
});

const result = (outcome: Outcome, message?: string) => ({
  slug: 'p',
  outcome,
  versions_added: 0,
  ...(message !== undefined && { message }),
});

describe('SkippedReport', () => {
  it.each([
    ['conflict', 'Version 1 is\nanother.', ['Conflict: p (line 4): Version 1 is\\nanother.']],
    ['conflict', undefined, ['Conflict: p (line 4): It differs from the one on the server.']],
    ['ahead', 'It has 3 versions here.', ['Ahead: p (line 4): It has 3 versions here.']],
    ['ahead', undefined, ['Ahead: p (line 4): It has more versions on the server.']],
    ['created', undefined, []],
    ['unchanged', undefined, []],
  ] as const)(
    'a preset with the outcome %s and the message %j is reported as %j',
    (outcome, message, lines) => {
      expect(new SkippedReport().add(result(outcome, message), 4)).toEqual(lines);
    },
  );

  it('a preset whose draft is skipped is reported', () => {
    expect(new SkippedReport().add({ ...result('unchanged'), draft_skipped: true }, 4)).toEqual([
      'Draft skipped: p (line 4): You have another draft of it on the server.',
    ]);
  });

  it('twenty skipped presets of each kind are named and the rest is counted', () => {
    const report = new SkippedReport();
    const printed = (outcome: Outcome, times: number) =>
      Array.from({ length: times }, () => report.add(result(outcome), 1)).flat().length;
    expect([printed('ahead', 20), report.remainder()]).toEqual([20, []]);
    expect([printed('conflict', 117), printed('ahead', 1)]).toEqual([20, 0]);
    expect(report.remainder()).toEqual(['Ahead: and 1 more', 'Conflict: and 97 more']);
  });
});
