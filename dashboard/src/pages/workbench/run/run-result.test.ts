import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../api/api-error.ts';
import { parseExactJson } from '../../../api/exact-json.ts';
import type { Message } from '../../../features/runs/message.ts';
import { type CallInputs, isSameBesidesDraft } from './column-call.ts';
import { emptyResponse } from './model-response.ts';
import { type ColumnRun, parseResults, type RunResult, serializeResults } from './run-result.ts';

const inputs: CallInputs = {
  source: 'draft',
  model: '',
  version: undefined,
  draft: '{"model":"a"}',
  dialect: 'chat-completions',
  messages: [{ role: 'user', content: 'Hello' }],
  variables: undefined,
};

const run = (changed: Partial<ColumnRun> = {}): ColumnRun => ({
  phase: 'done',
  response: { ...emptyResponse, text: 'Hi', isComplete: true },
  inputs,
  ...changed,
});

const restored = (results: {
  readonly runs?: readonly (readonly [number, ColumnRun])[];
  readonly cells?: readonly (readonly [string, RunResult])[];
}) => parseResults(serializeResults({ runs: new Map(results.runs), cells: new Map(results.cells) }));

describe('stored results', () => {
  test('come back with everything that says whether they are outdated', () => {
    const messages = parseExactJson('[{"role":"user","content":"12345678901234567890"}]') as Message[];
    const variables = parseExactJson('{"parcel":12345678901234567890}') as CallInputs['variables'];
    const sent = { ...inputs, version: 3, messages, variables };
    const { runs, cells } = restored({
      runs: [[1, run({ totalMs: 20, preset: 'support@3' })]],
      cells: [['1\nLate', run({ inputs: sent })]],
    });
    expect(runs.get(1)).toEqual(run({ totalMs: 20, preset: 'support@3' }));
    const back = cells.get('1\nLate')?.inputs as CallInputs;
    expect(back.draft).toBe(inputs.draft);
    expect(isSameBesidesDraft(back, sent)).toBe(true);
    expect(isSameBesidesDraft(back, { ...sent, variables: { parcel: 1 } })).toBe(false);
  });

  test.each(['waiting', 'streaming'] as const)('were stopped if they were %s', (phase) => {
    const { runs, cells } = restored({ runs: [[1, run({ phase })]], cells: [['1\nLate', run({ phase })]] });
    expect(runs.get(1)).toMatchObject({ phase: 'stopped', response: { text: 'Hi' } });
    expect(cells.get('1\nLate')?.phase).toBe('stopped');
  });

  test('keep their errors', () => {
    const issues = [{ path: '/model', message: 'must not be empty' }];
    const error = new ApiError(400, 'Invalid request', { issues, requestId: 'r-1' });
    const { runs, cells } = restored({
      runs: [[1, run({ phase: 'failed', error })]],
      cells: [
        ['1\nLate', { phase: 'failed', response: emptyResponse, error: new Error('No'), inputs: undefined }],
      ],
    });
    expect(runs.get(1)?.error).toBeInstanceOf(ApiError);
    expect(runs.get(1)?.error).toMatchObject({ status: 400, message: 'Invalid request', issues });
    expect(cells.get('1\nLate')?.error).toEqual(new Error('No'));
    expect(cells.get('1\nLate')?.inputs).toBeUndefined();
  });

  test('store a draft and a conversation once, no matter how many results share them', () => {
    const long = {
      ...inputs,
      draft: 'd'.repeat(10_000),
      messages: [{ role: 'user', content: 'm'.repeat(10_000) }],
    };
    const cells = new Map(
      Array.from({ length: 100 }, (_, index) => [`${index}\nLate`, run({ inputs: long })]),
    );
    const text = serializeResults({ runs: new Map(), cells });
    expect(text.length).toBeLessThan(60_000);
    expect(parseResults(text).cells.get('99\nLate')?.inputs).toEqual(long);
  });

  test('are as many as fit, the conversation first', () => {
    const cells = new Map(
      Array.from({ length: 100 }, (_, index) => [
        `${index}\nLate`,
        run({ response: { ...emptyResponse, text: 'x'.repeat(1_000) } }),
      ]),
    );
    const text = serializeResults({ runs: new Map([[1, run()]]), cells }, 20_000);
    expect(text.length).toBeLessThan(20_000);
    const { runs, cells: kept } = parseResults(text);
    expect(runs.size).toBe(1);
    expect(kept.size).toBeGreaterThan(10);
    expect([...kept.keys()]).toEqual([...cells.keys()].slice(0, kept.size));
  });
});
