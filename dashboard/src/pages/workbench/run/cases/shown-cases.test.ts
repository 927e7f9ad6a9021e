import { describe, expect, test } from 'vitest';
import { emptyResponse } from '../model-response.ts';
import type { RunResult } from '../run-result.ts';
import { cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';
import { createSearch, namesWith, withRange } from './shown-cases.ts';

const caseOf = (name: string, fields: Partial<CaseInputs> = {}): CaseInputs => ({
  ...{ name, note: null, texts: new Map(), messages: [] },
  ...fields,
});
const cases = ['a', 'b', 'c', 'd', 'e'].map((name) => caseOf(name));

const result = (phase: RunResult['phase'], text: string): RunResult => ({
  phase,
  response: { ...emptyResponse, text },
  inputs: undefined,
});

describe('the cases that a filter shows', () => {
  const cells = new Map([
    [cellKey('a', 1), result('done', 'Yes')],
    [cellKey('a', 2), result('done', 'Yes')],
    [cellKey('b', 1), result('done', 'Yes')],
    [cellKey('b', 2), result('done', 'No')],
    [cellKey('c', 1), result('done', 'Yes')],
    [cellKey('c', 2), result('failed', '')],
    [cellKey('d', 1), result('stopped', 'Y')],
    [cellKey('d', 2), result('done', 'Yes')],
  ]);
  test.each([
    ['failed', ['c']],
    ['different', ['b']],
    ['none', ['d', 'e']],
  ] as const)('%s are %j', (filter, expected) => {
    expect([...(namesWith(filter, cases, [1, 2], cells) ?? [])]).toEqual(expected);
  });

  test('are all at first', () => {
    expect(namesWith('all', cases, [1, 2], cells)).toBeUndefined();
  });
});

test('a search finds cases by every word, wherever it is', () => {
  const search = createSearch([
    caseOf('Late parcel', { note: 'Must not promise a date' }),
    caseOf('Refund', { texts: new Map([['customer', 'Ada']]) }),
    caseOf('Angry', { messages: [{ role: 'user', content: 'Where is my PARCEL, Ada?' }] }),
  ]);
  const found = (q: string) => search(q).map(({ name }) => name);
  expect(found('')).toEqual(['Late parcel', 'Refund', 'Angry']);
  expect(found(' parcel ')).toEqual(['Late parcel', 'Angry']);
  expect(found('date late')).toEqual(['Late parcel']);
  expect(found('ada')).toEqual(['Refund', 'Angry']);
  expect(found('ada late')).toEqual([]);
});

describe('selecting rows', () => {
  const names = ['a', 'b', 'c', 'd'];
  test.each([
    ['one row', ['a'], { from: undefined, to: 'c', isSelected: true }, ['a', 'c']],
    ['all from the last one', ['b'], { from: 'b', to: 'd', isSelected: true }, ['b', 'c', 'd']],
    ['all up to the last one', ['c'], { from: 'c', to: 'a', isSelected: true }, ['a', 'b', 'c']],
    ['one row to deselect', ['a', 'c'], { from: undefined, to: 'c', isSelected: false }, ['a']],
    ['a row after one that is not shown', ['x'], { from: 'x', to: 'b', isSelected: true }, ['x', 'b']],
  ])('selects %s', (_, before, change, expected) => {
    expect([...withRange(new Set(before), names, change)]).toEqual(expected);
  });
});
