import { describe, expect, test } from 'vitest';
import { parallelMax } from '../../../../api/run-bulk.ts';
import type { ColumnCall } from '../column-call.ts';
import { emptyResponse } from '../model-response.ts';
import type { Run } from '../run.ts';
import type { RunResult } from '../run-result.ts';
import { cellKey, createAllCasesRun, type Job } from './all-cases-run.ts';

/** Calls that end when the test says so. */
function controlledCalls() {
  const running: { readonly name: string; end(phase?: Run['phase']): void }[] = [];
  let most = 0;
  const run = async (
    call: ColumnCall,
    signal: AbortSignal,
    onChange: (run: Run<ColumnCall>) => void,
  ): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<Run['phase']>();
    const one = { name: String(call.body.name), end: (phase: Run['phase'] = 'done') => resolve(phase) };
    running.push(one);
    most = Math.max(most, running.length);
    signal.addEventListener('abort', () => resolve('stopped'));
    const phase = await promise;
    running.splice(running.indexOf(one), 1);
    onChange({ phase, request: call, response: emptyResponse });
  };
  return { run, running, most: () => most };
}

const jobs = (count: number): readonly Job[] =>
  Array.from({ length: count }, (_, index) => ({
    key: cellKey(`case ${index}`, 1),
    prepare: () => ({ body: { name: `case ${index}` }, inputs: {} }) as unknown as ColumnCall,
  }));

describe('running all cases', () => {
  test('runs a bounded number at a time, and every one', async () => {
    const { run, running, most } = controlledCalls();
    const all = createAllCasesRun(run);
    const ended = all.start(jobs(10));
    expect(all.state.get()).toMatchObject({ total: 10, ended: 0, isRunning: true });
    for (let count = 0; count < 10; count += 1) {
      await expect.poll(() => running.length).toBe(Math.min(parallelMax, 10 - count));
      running[0]?.end();
    }
    await ended;
    expect(most()).toBe(parallelMax);
    expect(all.state.get()).toMatchObject({ ended: 10, isRunning: false });
    expect([...all.state.get().cells.values()].every(({ phase }) => phase === 'done')).toBe(true);
  });

  test('shows the cost of a call that is known only after the run, but not in place of a newer result', async () => {
    const late: (() => void)[] = [];
    const all = createAllCasesRun(async (request, _, onChange) => {
      const callId = `gen-${late.length}`;
      const run = { phase: 'done', request, callId, response: emptyResponse } as const;
      onChange(run);
      late.push(() => onChange({ ...run, response: { ...emptyResponse, usage: { cost: late.length } } }));
    });
    const costOf = (name: string) => all.state.get().cells.get(cellKey(name, 1))?.response.usage?.cost;
    await all.start(jobs(2));
    late[0]?.();
    expect(costOf('case 0')).toBe(2);
    all.renameCase('case 0', 'other');
    late[0]?.();
    expect([costOf('case 0'), costOf('other')]).toEqual([undefined, 2]);
    await all.start(jobs(2));
    late[1]?.();
    expect(costOf('case 1')).toBeUndefined();
    late[3]?.();
    expect(costOf('case 1')).toBe(4);
  });

  test('keeps the results so far when it is stopped, and starts no others', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const ended = all.start(jobs(20));
    running[0]?.end();
    await expect.poll(() => running.some(({ name }) => name === 'case 4')).toBe(true);
    all.stop();
    await ended;
    const { cells, isRunning } = all.state.get();
    expect(isRunning).toBe(false);
    expect(cells.get(cellKey('case 0', 1))?.phase).toBe('done');
    expect(cells.get(cellKey('case 4', 1))?.phase).toBe('stopped');
    expect(cells.has(cellKey('case 10', 1))).toBe(false);
  });

  test('replaces only the results of the jobs that run again', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const first = all.start(jobs(2));
    running[1]?.end('failed');
    running[0]?.end();
    await first;
    const again = all.start(jobs(2).slice(1));
    expect(all.state.get().cells.get(cellKey('case 0', 1))?.phase).toBe('done');
    running[0]?.end();
    await again;
    expect(all.state.get().cells.get(cellKey('case 1', 1))?.phase).toBe('done');
  });

  test('shows inputs that do not fit as a failed result', async () => {
    const all = createAllCasesRun(controlledCalls().run);
    const prepare = () => {
      throw new Error('customer: Enter a value.');
    };
    await all.start([{ key: cellKey('a', 1), prepare }]);
    expect(all.state.get().cells.get(cellKey('a', 1))).toMatchObject({
      phase: 'failed',
      error: { message: 'customer: Enter a value.' },
    });
  });

  test('forgets the results of a column that is removed', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const ended = all.start([...jobs(1), ...jobs(1).map((job) => ({ ...job, key: cellKey('case 0', 12) }))]);
    for (const one of [...running]) one.end();
    await ended;
    all.removeColumn(1);
    expect([...all.state.get().cells.keys()]).toEqual([cellKey('case 0', 12)]);
  });

  test('keeps the results of a case that is renamed', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const ended = all.start(jobs(2));
    for (const one of [...running]) one.end();
    await ended;
    all.renameCase('case 0', 'Late parcel');
    expect([...all.state.get().cells.keys()]).toEqual([cellKey('Late parcel', 1), cellKey('case 1', 1)]);
  });

  test('ends only the jobs of a column that is removed while it runs', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const ofColumn = (column: number) =>
      [0, 1, 2].map((number) => ({
        key: cellKey(`case ${number}`, column),
        prepare: () => ({ body: { name: `${column}/${number}` }, inputs: {} }) as unknown as ColumnCall,
      }));
    const ended = all.start([...ofColumn(1), ...ofColumn(12)]);
    await expect.poll(() => running.map(({ name }) => name)).toEqual(['1/0', '1/1', '1/2', '12/0']);
    all.removeColumn(1);
    await expect.poll(() => running.map(({ name }) => name)).toEqual(['12/0', '12/1', '12/2']);
    for (const one of [...running]) one.end();
    await ended;
    const { cells, total, isRunning } = all.state.get();
    expect([...cells.values()].map(({ phase }) => phase)).toEqual(['done', 'done', 'done']);
    expect({ total, isRunning }).toEqual({ total: 3, isRunning: false });
  });

  test('replaces a run in progress, whose results do not come back', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const first = all.start(jobs(2));
    await expect.poll(() => running.length).toBe(2);
    const second = all.start(jobs(1));
    // Aborted, so that only the new call is left.
    await first;
    expect(running).toHaveLength(1);
    expect(all.state.get()).toMatchObject({ total: 1, ended: 0, isRunning: true });
    running[0]?.end();
    await second;
    expect([...all.state.get().cells].map(([key, { phase }]) => [key, phase])).toEqual([
      [cellKey('case 0', 1), 'done'],
    ]);
  });

  test('shows a call as soon as it starts, without the result of the last one', async () => {
    const { run, running } = controlledCalls();
    const restored = new Map([[cellKey('case 0', 1), { phase: 'failed' } as RunResult]]);
    const all = createAllCasesRun(run, restored);
    expect(all.state.get().cells).toBe(restored);
    const ended = all.start(jobs(1));
    expect(all.state.get().cells.size).toBe(0);
    await expect.poll(() => all.state.get().cells.get(cellKey('case 0', 1))?.phase).toBe('waiting');
    running[0]?.end();
    await ended;
  });

  test('shows what has arrived when it is stopped, since the page may be about to go', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const ended = all.start(jobs(5));
    running[0]?.end();
    await expect.poll(() => running.some(({ name }) => name === 'case 4')).toBe(true);
    all.stop();
    expect(all.state.get().cells.get(cellKey('case 0', 1))?.phase).toBe('done');
    await ended;
    // Stopping again must not say that it runs.
    all.stop();
    expect(all.state.get().isRunning).toBe(false);
  });

  test('forgets everything when it is cleared, also what arrives afterwards', async () => {
    const { run } = controlledCalls();
    const all = createAllCasesRun(run);
    const ended = all.start(jobs(2));
    all.clear();
    await ended;
    expect(all.state.get()).toEqual({ cells: new Map(), total: 0, ended: 0, isRunning: false });
  });

  test('starts no call of a column that was removed, and does not count its jobs', async () => {
    const { run, running } = controlledCalls();
    const started: string[] = [];
    const all = createAllCasesRun((call, ...rest) => {
      started.push(String(call.body.name));
      return run(call, ...rest);
    });
    const ofColumn = (column: number) =>
      Array.from({ length: parallelMax + 1 }, (_, number) => ({
        key: cellKey(`case ${number}`, column),
        prepare: () => ({ body: { name: `${column}/${number}` }, inputs: {} }) as unknown as ColumnCall,
      }));
    const ended = all.start([...ofColumn(1), ...ofColumn(2)]);
    await expect.poll(() => running.length).toBe(parallelMax);
    running[0]?.end();
    await expect.poll(() => started.length).toBe(parallelMax + 1);
    all.removeColumn(2);
    for (const one of [...running]) one.end();
    await ended;
    expect(started.filter((name) => name.startsWith('2/'))).toEqual([]);
    const count = parallelMax + 1;
    expect(all.state.get()).toMatchObject({ total: count, ended: count, isRunning: false });
  });

  test('renames no case while it runs, and drops what an older case of that name has left', async () => {
    const { run, running } = controlledCalls();
    const all = createAllCasesRun(run);
    const first = all.start(jobs(2));
    all.renameCase('case 0', 'case 1');
    for (const one of [...running]) one.end();
    await first;
    expect([...all.state.get().cells.keys()]).toEqual([cellKey('case 0', 1), cellKey('case 1', 1)]);
    const again = all.start(jobs(1));
    running[0]?.end('failed');
    await again;
    all.renameCase('case 0', 'case 1');
    expect([...all.state.get().cells].map(([key, { phase }]) => [key, phase])).toEqual([
      [cellKey('case 1', 1), 'failed'],
    ]);
  });
});
