import { describe, expect, test } from 'vitest';
import type { Api } from '../../../api/api.ts';
import type { CallInputs } from './conversation.ts';
import { emptyResponse } from './model-response.ts';
import type { ColumnRun } from './run-result.ts';
import { createRunSession, markUsed, type RunSession } from './run-session.ts';
import { emptyRunState, newInputs } from './run-state.ts';

const newSession = () => createRunSession(() => ({}) as Api, emptyRunState(true));

const runIn = (phase: ColumnRun['phase']): ColumnRun => ({
  phase,
  inputs: {} as CallInputs,
  response: emptyResponse,
});

describe('a run session', () => {
  test('replaces the inputs, and brings them back with the results', () => {
    const session = newSession();
    session.change({ composed: 'Where is it?', texts: new Map([['customer', 'Ada']]) });
    session.runs.set(new Map([[1, runIn('done')]]));
    const before = session.state.get();
    const undo = session.replaceInputs(newInputs({ caseName: 'Late' }));
    expect(session.state.get()).toMatchObject({ composed: '', caseName: 'Late' });
    expect(session.runs.get().size).toBe(0);
    undo?.();
    expect(session.state.get()).toEqual(before);
    expect(session.runs.get().get(1)?.phase).toBe('done');
  });

  test('offers no undo if there was nothing to lose', () => {
    const session = newSession();
    session.change({ texts: new Map([['customer', '']]) });
    expect(session.replaceInputs(newInputs({ caseName: 'Late' }))).toBeUndefined();
  });

  test('is dropped once ten others were used since, unless it runs', () => {
    const all = new Map<string, RunSession>();
    for (let number = 0; number < 10; number += 1)
      expect(markUsed(all, `preset ${number}`, newSession())).toEqual([]);
    all.get('preset 1')?.runs.set(new Map([[1, runIn('streaming')]]));
    markUsed(all, 'preset 0', all.get('preset 0') as RunSession);
    expect(markUsed(all, 'preset 10', newSession()).map(([name]) => name)).toEqual(['preset 2']);
  });
});
