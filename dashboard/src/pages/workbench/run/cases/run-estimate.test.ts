import { describe, expect, test } from 'vitest';
import type { Column } from '../../../../features/runs/run-state.ts';
import { emptyResponse } from '../model-response.ts';
import type { ColumnRun } from '../run-result.ts';
import { cellKey } from './all-cases-run.ts';
import { describeEstimate, describeSize, describeSources, estimateRun, type Known } from './run-estimate.ts';

const draft: Column = { id: 1, source: 'draft', model: '' };
const live: Column = { id: 12, source: 'live', model: '' };

const result = ({ source, model }: Column, cost: number | undefined, phase: ColumnRun['phase'] = 'done') =>
  ({
    phase,
    response: { ...emptyResponse, ...(cost !== undefined && { usage: { cost } }) },
    inputs: { source, model },
  }) as ColumnRun;

const keys = ['a', 'b', 'c'].flatMap((name) => [cellKey(name, draft.id), cellKey(name, live.id)]);

const nothing: Known = { costPerCall: () => undefined, cells: new Map(), runs: new Map() };

describe('the estimate of a run', () => {
  test('has the cost per call of each column, whatever earlier results cost', () => {
    const cells = new Map([
      [cellKey('a', draft.id), result(draft, 9)],
      [cellKey('a', live.id), result(live, 0.2)],
    ]);
    const costPerCall = ({ source }: Column) => (source === 'draft' ? 0.1 : undefined);
    const estimate = estimateRun(keys, [draft, live], { ...nothing, costPerCall, cells });
    expect(describeEstimate(estimate)).toBe('6 calls, about $0.90');
    expect(describeSources(estimate)).toBe(
      'estimated from calls of this preset in the last 30 days and earlier results on this page',
    );
  });

  test('has the last cost of each case, and the mean of the column for others', () => {
    const cells = new Map([
      [cellKey('a', draft.id), result(draft, 0.1)],
      [cellKey('b', draft.id), result(draft, 0.3)],
      [cellKey('c', draft.id), result(draft, 9, 'stopped')],
      [cellKey('a', live.id), result(live, 1)],
    ]);
    const estimate = estimateRun(keys, [draft, live], { ...nothing, cells });
    expect(estimate.dollars).toBeCloseTo(0.1 + 0.3 + 0.2 + 3);
    expect(describeEstimate(estimate)).toBe('6 calls, about $3.60');
  });

  test('knows the cost from the conversation, too', () => {
    const runs = new Map([[draft.id, result(draft, 0.012)]]);
    const estimate = estimateRun(keys, [draft, live], { ...nothing, runs });
    expect(describeEstimate(estimate)).toBe('6 calls, about $0.036, plus 3 calls of unknown cost');
  });

  test.each([
    ['without results', new Map()],
    ['with results of another model', new Map([[cellKey('a', 1), result({ ...draft, model: 'x' }, 1)]])],
    ['with results of another version', new Map([[cellKey('a', 1), result({ ...draft, source: 3 }, 1)]])],
    ['with results without a cost', new Map([[cellKey('a', 1), result(draft, undefined)]])],
    ['with results of another column', new Map([[cellKey('a', 2), result(draft, 1)]])],
  ])('is unknown %s', (_, cells) => {
    const estimate = estimateRun(keys, [draft, live], { ...nothing, cells });
    expect(describeEstimate(estimate)).toBe('6 calls, cost unknown');
    expect(describeSources(estimate)).toBeUndefined();
  });
});

test('the size of a run is in cases and columns if it has all of their cells', () => {
  expect(describeSize(keys)).toBe('3 cases × 2 columns');
  expect(describeSize(keys.slice(1))).toBe('5 cells');
  expect(describeSize(keys.slice(0, 1))).toBe('1 case × 1 column');
});
