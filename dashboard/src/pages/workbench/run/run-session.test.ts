import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Api } from '../../../api/api.ts';
import { emptyRunState, newInputs, readRunState } from '../../../features/runs/run-state.ts';
import { cellKey } from './cases/all-cases-run.ts';
import type { CallInputs, ColumnCall } from './column-call.ts';
import { emptyResponse } from './model-response.ts';
import { type ColumnRun, readResults } from './run-result.ts';
import { createRunSession, handOverRuns, markUsed, type RunSession, runSessionOf } from './run-session.ts';

const newSession = () => createRunSession(() => ({}) as Api, emptyRunState(true));

const runIn = (phase: ColumnRun['phase']): ColumnRun => ({
  phase,
  inputs: {} as CallInputs,
  response: emptyResponse,
});

/** An upstream whose responses the test streams, in the order of the calls. */
function fakeUpstream() {
  const ended = new AbortController();
  const calls: { readonly signal: AbortSignal; say(text: string): void; end(): void }[] = [];
  const bytes = (delta: object, finish_reason: string | null = null) =>
    new TextEncoder().encode(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  const api = {
    ended: ended.signal,
    async open(_: unknown, { signal }: { readonly signal: AbortSignal }) {
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          signal.addEventListener('abort', () => stream.error(signal.reason));
          calls.push({
            signal,
            say: (content) => stream.enqueue(bytes({ content })),
            end() {
              stream.enqueue(bytes({}, 'stop'));
              stream.close();
            },
          });
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  } as unknown as Api;
  return { api, calls, signOut: () => ended.abort() };
}

const callWith = (draft: string) =>
  ({
    dialect: 'chat-completions',
    body: {},
    inputs: { draft, messages: [] } as unknown as CallInputs,
  }) as ColumnCall;

const shownIn = (session: RunSession, column: number) => {
  const run = session.runs.get().get(column);
  return run && [run.phase, run.response.text];
};

/** Lets streams deliver what was said. */
const deliver = () => vi.advanceTimersByTimeAsync(0);

/** Waits for a run that was aborted, which takes a moment longer. */
const abort = async (ended: Promise<unknown>) => {
  await vi.advanceTimersByTimeAsync(100);
  await ended;
};

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

describe('the run of a column', () => {
  let upstream: ReturnType<typeof fakeUpstream>;
  let session: RunSession;
  beforeEach(() => {
    vi.useFakeTimers();
    upstream = fakeUpstream();
    session = createRunSession(() => upstream.api, emptyRunState(true));
  });
  afterEach(() => {
    session.close();
    vi.useRealTimers();
  });

  test('shows its text ten times per second, and nothing in between', async () => {
    const shown: unknown[] = [];
    session.runs.subscribe(() => shown.push(shownIn(session, 1)));
    const ended = session.start(1, callWith('a'));
    await deliver();
    expect(shown).toEqual([['waiting', '']]);
    for (const word of ['On ', 'its ', 'way']) {
      upstream.calls[0]?.say(word);
      await deliver();
    }
    expect(shown).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(shown.slice(1)).toEqual([['streaming', 'On its way']]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(shown).toHaveLength(2);
    upstream.calls[0]?.end();
    await ended;
    // At once, not with the next interval, of which there is none.
    expect(shown.slice(2)).toEqual([['done', 'On its way']]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('takes the place of the last one, which cannot come back', async () => {
    const first = session.start(1, callWith('a'));
    await deliver();
    upstream.calls[0]?.say('old');
    await vi.advanceTimersByTimeAsync(100);
    const second = session.start(1, callWith('b'));
    expect(upstream.calls[0]?.signal.aborted).toBe(true);
    expect(shownIn(session, 1)).toEqual(['waiting', '']);
    await abort(first);
    expect(shownIn(session, 1)).toEqual(['waiting', '']);
    upstream.calls[1]?.say('new');
    await vi.advanceTimersByTimeAsync(100);
    expect(shownIn(session, 1)).toEqual(['streaming', 'new']);
    upstream.calls[1]?.end();
    await second;
    expect(shownIn(session, 1)).toEqual(['done', 'new']);
    expect(session.runs.get().get(1)?.inputs.draft).toBe('b');
  });

  test('does not come back after it was cleared, and the other column continues', async () => {
    const both = Promise.all([session.start(1, callWith('a')), session.start(2, callWith('b'))]);
    await deliver();
    upstream.calls[0]?.say('old');
    await deliver();
    session.clear(1);
    expect(upstream.calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    upstream.calls[1]?.say('other');
    await vi.advanceTimersByTimeAsync(100);
    expect(shownIn(session, 1)).toBeUndefined();
    expect(shownIn(session, 2)).toEqual(['streaming', 'other']);
    session.clear();
    await abort(both);
    expect(session.runs.get().size).toBe(0);
    expect(upstream.calls[1]?.signal.aborted).toBe(true);
  });

  test('is stopped with the others, and keeps its text', async () => {
    const both = Promise.all([session.start(1, callWith('a')), session.start(2, callWith('b'))]);
    await deliver();
    upstream.calls[0]?.say('so far');
    await deliver();
    session.stop();
    await abort(both);
    expect(shownIn(session, 1)).toEqual(['stopped', 'so far']);
    expect(shownIn(session, 2)).toEqual(['stopped', '']);
  });

  test('goes with its column, in the conversation and in all cases', async () => {
    session.change({
      columns: [
        { id: 1, source: 'draft', model: '' },
        { id: 2, source: 'live', model: '' },
      ],
    });
    const jobs = [1, 2].map((column) => ({ key: cellKey('Late', column), prepare: () => callWith('a') }));
    const all = Promise.all([
      session.start(1, callWith('a')),
      session.start(2, callWith('a')),
      session.allCases.start(jobs),
    ]);
    await vi.advanceTimersByTimeAsync(100);
    session.removeColumn(1);
    expect(session.state.get().columns.map(({ id }) => id)).toEqual([2]);
    expect([...session.runs.get().keys()]).toEqual([2]);
    expect([...session.allCases.state.get().cells.keys()]).toEqual([cellKey('Late', 2)]);
    session.close();
    await abort(all);
    expect(upstream.calls.map(({ signal }) => signal.aborted)).toEqual([true, true, true, true]);
    expect(session.runs.get().size + session.allCases.state.get().cells.size).toBe(0);
  });

  test('that is in flight when the inputs are replaced is neither finished nor brought back', async () => {
    session.runs.set(new Map([[2, runIn('done')]]));
    const ended = session.start(1, callWith('a'));
    await deliver();
    const undo = session.replaceInputs(newInputs({ caseName: 'Late' }));
    await abort(ended);
    expect(upstream.calls[0]?.signal.aborted).toBe(true);
    expect(session.runs.get().size).toBe(0);
    // Undo drops the run that was started since.
    const since = session.start(3, callWith('b'));
    undo?.();
    await abort(since);
    expect([...session.runs.get().keys()]).toEqual([2]);
  });

  test('uses the client of its time, such as one with a key that was entered since', async () => {
    const other = fakeUpstream();
    let api = upstream.api;
    const changing = createRunSession(() => api, emptyRunState(true));
    const first = changing.start(1, callWith('a'));
    api = other.api;
    const second = changing.start(2, callWith('a'));
    await deliver();
    expect([upstream.calls.length, other.calls.length]).toEqual([1, 1]);
    changing.close();
    await abort(Promise.all([first, second]));
  });
});

describe('a run session that is stored in the tab', () => {
  const events = new EventTarget();
  let upstream: ReturnType<typeof fakeUpstream>;
  const open = () => runSessionOf(upstream.api, 'w', 'ada/1', true);
  const leavePage = () => events.dispatchEvent(new Event('pagehide'));
  /** The state that another page load would show. */
  const stored = () => ({
    composed: readRunState('ada/1')?.composed,
    runs: [...(readResults('ada/1')?.runs.values() ?? [])].map(({ phase, response }) => [
      phase,
      response.text,
    ]),
    cells: [...(readResults('ada/1')?.cells.values() ?? [])].map(({ phase }) => phase),
  });

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
    vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events));
    sessionStorage.clear();
    upstream = fakeUpstream();
  });
  afterEach(() => {
    upstream.signOut();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  test('stores inputs and results after a pause in the changes, and reads them after a reload', async () => {
    const session = open();
    expect(open()).toBe(session);
    expect(session.state.get()).toEqual(emptyRunState(true));
    session.change({ composed: 'Where' });
    await vi.advanceTimersByTimeAsync(200);
    session.change({ composed: 'Where is it?' });
    await vi.advanceTimersByTimeAsync(200);
    expect(stored().composed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    expect(stored()).toEqual({ composed: 'Where is it?', runs: [], cells: [] });
    const ended = session.start(1, callWith('a'));
    await deliver();
    upstream.calls[0]?.say('There');
    upstream.calls[0]?.end();
    await ended;
    await vi.advanceTimersByTimeAsync(300);
    expect(stored().runs).toEqual([['done', 'There']]);
    upstream = fakeUpstream();
    const reloaded = open();
    expect(reloaded).not.toBe(session);
    expect(reloaded.state.get().composed).toBe('Where is it?');
    expect(shownIn(reloaded, 1)).toEqual(['done', 'There']);
  });

  test('reads the costs after a reload that came before they were known', async () => {
    const usage = (cost?: number) => ({ input: 1, output: 1, ...(cost !== undefined && { cost }) });
    const ended = (callId: string, isCostPending: boolean, cost?: number): ColumnRun => ({
      ...runIn('done'),
      callId,
      isCostPending,
      response: { ...emptyResponse, text: 'There', usage: usage(cost) },
    });
    const session = open();
    session.runs.set(
      new Map([
        [1, ended('pending', true)],
        [2, ended('unknown', false)],
        [3, ended('reported', true, 0.5)],
      ]),
    );
    session.allCases.state.set({
      ...session.allCases.state.get(),
      cells: new Map([[cellKey('Late', 1), ended('cell', true)]]),
    });
    upstream.signOut();
    const read: unknown[] = [];
    upstream = fakeUpstream();
    Object.assign(upstream.api, {
      call: async (_: string, { query }: { query: { id: string } }) => {
        read.push(query.id);
        return { content: { data: { presetd: { cost: 0.002 } } } };
      },
    });
    const reloaded = open();
    await vi.runAllTimersAsync();
    expect(read).toEqual(['pending', 'cell']);
    const costs = [...reloaded.runs.get()].map(([id, { response }]) => [id, response.usage?.cost]);
    expect(new Map(costs as [number, number | undefined][])).toEqual(
      new Map([
        [1, 0.002],
        [2, undefined],
        [3, 0.5],
      ]),
    );
    const [cell] = reloaded.allCases.state.get().cells.values();
    expect(cell).toMatchObject({ isCostPending: false, response: { usage: { cost: 0.002 } } });
    // And again: nothing is left to read.
    upstream.signOut();
    upstream = fakeUpstream();
    open();
    await vi.runAllTimersAsync();
    expect(read).toHaveLength(2);
  });

  test('stores what it has when the page is left, after it has stopped everything', async () => {
    const session = open();
    session.change({ composed: 'Where' });
    const jobs = Array.from({ length: 9 }, (_, number) => ({
      key: cellKey(`Case ${number}`, 1),
      prepare: () => callWith('a'),
    }));
    const both = Promise.all([session.start(1, callWith('a')), session.allCases.start(jobs)]);
    await deliver();
    const started = upstream.calls.length;
    upstream.calls[0]?.say('so far');
    await vi.advanceTimersByTimeAsync(100);
    leavePage();
    expect(stored()).toMatchObject({ composed: 'Where', runs: [['stopped', 'so far']] });
    expect(upstream.calls.every(({ signal }) => signal.aborted)).toBe(true);
    await abort(both);
    expect(upstream.calls).toHaveLength(started);
  });

  test('keeps what is stored when it is closed to save memory', async () => {
    const session = open();
    session.change({ composed: 'Where' });
    session.runs.set(new Map([[1, runIn('done')]]));
    session.close();
    expect(session.runs.get().size).toBe(0);
    session.change({ composed: 'Later' });
    leavePage();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stored()).toEqual({ composed: 'Where', runs: [['done', '']], cells: [] });
  });

  test('stores nothing more after the user has signed out', async () => {
    const session = open();
    session.change({ composed: 'Where' });
    upstream.signOut();
    // As signing out does.
    sessionStorage.clear();
    session.change({ composed: 'Later' });
    session.runs.set(new Map([[1, runIn('done')]]));
    leavePage();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sessionStorage.length).toBe(0);
  });
});

test('inputs and finished results are handed to a preset, unless it has inputs of its own', () => {
  const [from, target] = [newSession(), newSession()];
  const messages = [{ role: 'user', content: 'Hi' }];
  from.change({ messages });
  from.runs.set(
    new Map([
      [1, runIn('done')],
      [2, runIn('streaming')],
    ]),
  );
  handOverRuns(from, target);
  expect(target.state.get().messages).toEqual(messages);
  expect([...target.runs.get().keys()]).toEqual([1]);
  from.change({ messages: [] });
  handOverRuns(from, target);
  expect(target.state.get().messages).toEqual(messages);
});
