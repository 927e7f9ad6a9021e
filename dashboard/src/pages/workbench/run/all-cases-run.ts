/**
 * Runs many calls, a few at a time, and keeps their results.
 *
 * A run has one job per test case and column. Results appear as they arrive, a few times per second.
 * Stopping aborts the calls in flight and starts no others; the results so far stay. Starting again
 * replaces the results of its jobs only, so that failed ones can be repeated. Removing a column ends
 * its jobs, and the others go on.
 */

import type { Api } from '../../../api/api.ts';
import { emptyResponse } from '../../preset/playground/model-response.ts';
import { newRun, type Run, runRequest } from '../../preset/playground/run.ts';
import { forEachLimited } from '../../presets/bulk/run-bulk.ts';
import { createStore, type Store } from '../store.ts';
import type { CallInputs, ColumnCall } from './conversation.ts';

/** The result of a case in a column. Without what was sent, which may be large. */
export interface CellRun extends Omit<Run, 'request' | 'effective' | 'isSent'> {
  /** Undefined if the call could not be made. */
  readonly inputs: CallInputs | undefined;
}

export interface AllCasesState {
  /** By `cellKey`. */
  readonly cells: ReadonlyMap<string, CellRun>;
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
export type RunCall = (
  call: ColumnCall,
  signal: AbortSignal,
  onChange: (run: Run<ColumnCall>) => void,
) => Promise<void>;

export interface AllCasesRun {
  readonly state: Store<AllCasesState>;
  start(jobs: readonly Job[]): Promise<void>;
  stop(): void;
  /** Stops, and forgets all results. */
  clear(): void;
  /** Stops and forgets the jobs of one column. */
  removeColumn(column: number): void;
}

const renderIntervalMs = 100;

export function cellKey(caseName: string, column: number): string {
  // A name has one line.
  return `${column}\n${caseName}`;
}

function columnOf(key: string): string {
  return key.slice(0, key.indexOf('\n'));
}

export const runWith =
  (api: Api): RunCall =>
  (request, signal, onChange) =>
    runRequest({ api, request, isDryRun: false, isDirect: true, signal, onChange });

export function createAllCasesRun(runCall: RunCall): AllCasesRun {
  const idle: AllCasesState = { cells: new Map(), total: 0, ended: 0, isRunning: false };
  const state = createStore(idle);
  let aborter = new AbortController();
  /** Aborted for the columns that were removed since the last start. */
  let columns = new Map<string, AbortController>();

  function aborterOf(column: string): AbortController {
    const existing = columns.get(column) ?? new AbortController();
    columns.set(column, existing);
    return existing;
  }

  async function start(jobs: readonly Job[]) {
    aborter.abort();
    aborter = new AbortController();
    columns = new Map();
    const { signal } = aborter;
    const keys = new Set(jobs.map(({ key }) => key));
    const cells = new Map([...state.get().cells].filter(([key]) => !keys.has(key)));
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
    show(true);
    const timer = setInterval(() => show(true), renderIntervalMs);
    await forEachLimited(jobs, signal, async (job) => {
      const either = AbortSignal.any([signal, aborterOf(columnOf(job.key)).signal]);
      if (!either.aborted) await runJob(job, runCall, either, (cell) => cells.set(job.key, cell));
      ended.add(job.key);
    });
    clearInterval(timer);
    show(false);
  }

  return {
    state,
    start,
    stop: () => aborter.abort(),
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
  };
}

async function runJob(
  { prepare }: Job,
  runCall: RunCall,
  signal: AbortSignal,
  onChange: (cell: CellRun) => void,
): Promise<void> {
  try {
    const call = prepare();
    onChange(cellOf(newRun(call)));
    await runCall(call, signal, (run) => onChange(cellOf(run)));
  } catch (error) {
    onChange({ phase: 'failed', response: emptyResponse, error, inputs: undefined });
  }
}

function cellOf({ request, effective: _, isSent: __, ...run }: Run<ColumnCall>): CellRun {
  return { ...run, inputs: request.inputs };
}
