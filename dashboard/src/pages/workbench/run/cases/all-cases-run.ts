/**
 * Runs many calls, a few at a time, and keeps their results.
 *
 * A run has one job per test case and column. Results appear as they arrive, a few times per
 * second. Stopping aborts the calls in flight and starts no others; the results so far stay.
 * Starting again replaces the results of its jobs only, so that failed ones can be repeated.
 * Removing a column ends its jobs, and the others continue.
 */

import type { Api } from '../../../../api/api.ts';
import { forEachLimited } from '../../../../api/run-bulk.ts';
import { createStore, type Store } from '../../../../components/store.ts';
import type { ColumnCall } from '../column-call.ts';
import { emptyResponse } from '../model-response.ts';
import { newRun, type Run, runRequest } from '../run.ts';
import { type RunResult, resultOf } from '../run-result.ts';

export interface AllCasesState {
  /** By `cellKey`. */
  readonly cells: ReadonlyMap<string, RunResult>;
  /** Jobs of the last run: how many there are, and how many have ended. */
  readonly total: number;
  readonly ended: number;
  readonly isRunning: boolean;
}

export interface Job {
  readonly key: string;
  /** Makes the call. Throws if the inputs do not fit the version. */
  readonly prepare: () => ColumnCall;
}

/** Runs a call to its end and never throws. */
type RunCall = (
  call: ColumnCall,
  signal: AbortSignal,
  onChange: (run: Run<ColumnCall>) => void,
) => Promise<void>;

export interface AllCasesRun {
  readonly state: Store<AllCasesState>;
  start(jobs: readonly Job[]): Promise<void>;
  stop(): void;
  /** The cost of a call is known after its end. Ignored if another result has taken its place. */
  showCost(key: string, cell: RunResult): void;
  /** Stops, and forgets all results. */
  clear(): void;
  /** Stops and forgets the jobs of one column. */
  removeColumn(column: number): void;
  /** Keeps the results of a case that gets another name, unless a run is in progress. */
  renameCase(name: string, newName: string): void;
}

const renderIntervalMs = 100;

export function cellKey(caseName: string, column: number): string {
  // A name has one line.
  return `${column}\n${caseName}`;
}

export function columnOf(key: string): string {
  return key.slice(0, key.indexOf('\n'));
}

export function caseNameOf(key: string): string {
  return key.slice(key.indexOf('\n') + 1);
}

export const runWith =
  (getApi: () => Api): RunCall =>
  (request, signal, onChange) =>
    runRequest({ api: getApi(), request, signal, onChange });

/** `restored` are the results of an earlier run. */
export function createAllCasesRun(runCall: RunCall, restored?: AllCasesState['cells']): AllCasesRun {
  const idle: AllCasesState = { cells: new Map(), total: 0, ended: 0, isRunning: false };
  const state = createStore(restored === undefined ? idle : { ...idle, cells: restored });
  let aborter = new AbortController();
  /** Aborted for the columns that were removed since the last start. */
  let columns = new Map<string, AbortController>();
  /** Of the last run, as far as it has come; `state` lags behind. */
  let latest = new Map<string, RunResult>();
  /** Shows what has happened since the last interval, as the page may be about to go. */
  let showNow: () => void = () => undefined;

  function aborterOf(column: string): AbortController {
    const existing = columns.get(column) ?? new AbortController();
    columns.set(column, existing);
    return existing;
  }

  function showCost(key: string, cell: RunResult): void {
    if (latest.get(key)?.callId === cell.callId) latest.set(key, cell);
    const { cells, isRunning } = state.get();
    if (!isRunning && cells.get(key)?.callId === cell.callId)
      state.set({ ...state.get(), cells: new Map(cells).set(key, cell) });
  }

  async function start(jobs: readonly Job[]) {
    aborter.abort();
    aborter = new AbortController();
    columns = new Map();
    const { signal } = aborter;
    const keys = new Set(jobs.map(({ key }) => key));
    const cells = new Map([...state.get().cells].filter(([key]) => !keys.has(key)));
    latest = cells;
    const ended = new Set<string>();
    const show = (isRunning: boolean) => {
      // A newer run may have replaced this one, and cleared cells must not come back.
      if (aborter.signal !== signal) return;
      const isShown = (key: string) => !aborterOf(columnOf(key)).signal.aborted;
      state.set({
        cells: new Map([...cells].filter(([key]) => isShown(key))),
        total: [...keys].filter(isShown).length,
        ended: [...ended].filter(isShown).length,
        isRunning,
      });
    };
    showNow = () => show(true);
    showNow();
    const timer = setInterval(showNow, renderIntervalMs);
    await forEachLimited(jobs, signal, async (job) => {
      const either = AbortSignal.any([signal, aborterOf(columnOf(job.key)).signal]);
      const receive = (cell: RunResult) =>
        ended.has(job.key) ? showCost(job.key, cell) : cells.set(job.key, cell);
      if (!either.aborted) await runJob(job, runCall, either, receive);
      ended.add(job.key);
    });
    clearInterval(timer);
    if (aborter.signal === signal) showNow = () => undefined;
    show(false);
  }

  return {
    state,
    start,
    showCost,
    stop() {
      aborter.abort();
      showNow();
    },
    clear() {
      aborter.abort();
      aborter = new AbortController();
      state.set(idle);
    },
    removeColumn(column) {
      aborterOf(String(column)).abort();
      const others = [...state.get().cells].filter(([key]) => columnOf(key) !== String(column));
      state.set({ ...state.get(), cells: new Map(others) });
    },
    renameCase(name, newName) {
      if (state.get().isRunning) return;
      // A case that was removed may have left results under the new name.
      const cells = [...state.get().cells].filter(([key]) => caseNameOf(key) !== newName);
      const renamed = cells.map(
        ([key, cell]) =>
          [caseNameOf(key) === name ? cellKey(newName, Number(columnOf(key))) : key, cell] as const,
      );
      state.set({ ...state.get(), cells: new Map(renamed) });
    },
  };
}

async function runJob(
  { prepare }: Job,
  runCall: RunCall,
  signal: AbortSignal,
  onChange: (cell: RunResult) => void,
): Promise<void> {
  try {
    const call = prepare();
    onChange(resultOf(newRun(call)));
    await runCall(call, signal, (run) => onChange(resultOf(run)));
  } catch (error) {
    onChange({ phase: 'failed', response: emptyResponse, error, inputs: undefined });
  }
}
