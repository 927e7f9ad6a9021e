import { describe, expect, it } from 'vitest';
import { ImportTally, type Outcome } from './import-tally.ts';

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
