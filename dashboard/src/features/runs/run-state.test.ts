import { beforeEach, describe, expect, test } from 'vitest';
import {
  emptyRunState,
  inputsOf,
  isEmpty,
  newInputs,
  type RunInputs,
  readRunState,
  resultKey,
  runName,
  storeRunState,
} from './run-state.ts';

describe('the inputs of a run', () => {
  test.each<[what: string, inputs: Partial<RunInputs>, isNothing: boolean]>([
    ['spaces', { composed: ' \n' }, true],
    ['cleared variables and the name of a case', { texts: new Map([['a', '']]), caseName: 'Late' }, true],
    ['a message', { composed: 'Hi' }, false],
    ['one of several variables', { texts: new Map(Object.entries({ a: '', b: 'x' })) }, false],
    ['a conversation', { messages: [{ role: 'user', content: 'Hi' }] }, false],
    ['an attachment', { attachments: [{} as RunInputs['attachments'][number]] }, false],
  ])('with %s are empty: %#', (_, inputs, isNothing) => {
    expect(isEmpty(newInputs(inputs))).toBe(isNothing);
  });

  test('saved values are read without the columns', () => {
    const inputs = newInputs({ composed: 'Hi', toolResults: { a: 'b' }, caseName: 'Late' });
    expect(inputsOf({ ...emptyRunState(true), ...inputs, view: 'all' })).toEqual(inputs);
  });
});

describe('the state of runs', () => {
  beforeEach(() => sessionStorage.clear());

  test('begins with the draft, or with the live version for people who cannot edit', () => {
    expect(emptyRunState(true).columns).toEqual([{ id: 1, source: 'draft', model: '' }]);
    expect(emptyRunState(false).columns).toEqual([{ id: 1, source: 'live', model: '' }]);
  });

  test('is stored per person and preset', () => {
    const [ada, grace] = [runName('ada', 'bot'), runName('grace', 'bot')];
    const state = { ...emptyRunState(true), composed: 'Hi', texts: new Map([['a', 'b']]) };
    storeRunState(ada, state);
    expect(readRunState(ada)).toEqual(state);
    expect(readRunState(grace)).toBeUndefined();
  });

  test('keeps results of tools apart by column, call and tool', () => {
    const call = { id: '1', name: 'a', argumentText: '' };
    const keys = [
      resultKey(1, call),
      resultKey(2, call),
      resultKey(1, { ...call, id: '2' }),
      resultKey(1, { ...call, name: 'b' }),
    ];
    expect(new Set(keys).size).toBe(4);
  });
});
