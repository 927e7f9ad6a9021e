/**
 * The Run part of one preset: what is set up to run, and the results.
 *
 * A session outlives the components that show it, so that results stay and runs go on when the
 * layout changes or the user visits another page. Inputs are also stored in the tab and survive a
 * reload. Sessions belong to the client of the signed-in person: signing out aborts its requests and
 * drops it, and with it everything here.
 */

import { useEffect } from 'react';
import type { Api } from '../../../api/api.ts';
import { useSession } from '../../../api/session.ts';
import { useToast } from '../../../components/toasts.tsx';
import { newRun, type Run, runRequest } from '../../preset/playground/run.ts';
import { createStore, type Store, useStore } from '../store.ts';
import { useWorkbench } from '../workbench.ts';
import { type AllCasesRun, createAllCasesRun, runWith } from './all-cases-run.ts';
import type { ColumnCall } from './conversation.ts';
import {
  emptyRunState,
  inputsOf,
  isEmpty,
  type RunInputs,
  type RunState,
  readRunState,
  runName,
  storeRunState,
} from './run-state.ts';

export type ColumnRun = Run<ColumnCall>;

export interface RunSession {
  readonly state: Store<RunState>;
  /** The last run of each column. */
  readonly runs: Store<ReadonlyMap<number, ColumnRun>>;
  readonly allCases: AllCasesRun;
  change(changed: Partial<RunState>): void;
  /** Starts the run of a column and aborts its last one. */
  start(column: number, call: ColumnCall): Promise<void>;
  stop(): void;
  /** Aborts and forgets runs: all, or that of one column. */
  clear(column?: number): void;
  /**
   * Replaces the inputs and forgets the results. Returns how to undo it; undefined if nothing was
   * lost.
   */
  replaceInputs(inputs: RunInputs): (() => void) | undefined;
  /** Removes a column with its results. */
  removeColumn(column: number): void;
}

/** Results may be large; the presets that were used last keep theirs. */
const sessionsMax = 10;

const sessions = new WeakMap<Api, Map<string, RunSession>>();

/** The session of the preset on the page. */
export function useRunSession(): RunSession {
  const { api, account } = useSession();
  const { snapshot, canEdit } = useWorkbench();
  const name = runName(account.id, snapshot.preset.id);
  const session = runSessionOf(api, name, canEdit);
  useEffect(() => {
    const ofClient = sessions.get(api);
    if (ofClient === undefined) return;
    for (const [idle, dropped] of markUsed(ofClient, name, session)) {
      ofClient.delete(idle);
      dropped.clear();
      dropped.allCases.clear();
    }
  }, [api, name, session]);
  return session;
}

function runSessionOf(api: Api, name: string, canDraft: boolean): RunSession {
  const ofClient = sessions.get(api) ?? new Map<string, RunSession>();
  sessions.set(api, ofClient);
  const existing = ofClient.get(name);
  if (existing !== undefined) return existing;
  const session = createRunSession(api, readRunState(name) ?? emptyRunState(canDraft));
  ofClient.set(name, session);
  return session;
}

/** Makes a session the one that was used last. Returns those to drop: idle, and unused the longest. */
export function markUsed(
  all: Map<string, RunSession>,
  name: string,
  session: RunSession,
): readonly (readonly [string, RunSession])[] {
  all.delete(name);
  all.set(name, session);
  const idle = [...all].filter(([other, { runs, allCases }]) => {
    const isBusy = allCases.state.get().isRunning || [...runs.get().values()].some(isRunning);
    return other !== name && !isBusy;
  });
  return idle.slice(0, Math.max(0, all.size - sessionsMax));
}

/** 10 frames per second for each of four columns. */
const renderIntervalMs = 100;

export function createRunSession(api: Api, start: RunState): RunSession {
  const state = createStore(start);
  const runs = createStore<ReadonlyMap<number, ColumnRun>>(new Map());
  const aborters = new Map<number, AbortController>();

  const show = (column: number, run: ColumnRun | undefined) => {
    const others = [...runs.get()].filter(([id]) => id !== column);
    runs.set(new Map(run === undefined ? others : [...others, [column, run]]));
  };

  const clear = (column?: number) => {
    for (const [id, aborter] of aborters)
      if (column === undefined || id === column) {
        aborter.abort();
        aborters.delete(id);
      }
    if (column === undefined) runs.set(new Map());
    else show(column, undefined);
  };
  const change = (changed: Partial<RunState>) => state.set({ ...state.get(), ...changed });
  const allCases = createAllCasesRun(runWith(api));

  return {
    state,
    runs,
    allCases,
    change,
    clear,
    replaceInputs(inputs) {
      const before = inputsOf(state.get());
      const ended = [...runs.get()].filter(([, run]) => !isRunning(run));
      clear();
      change(inputs);
      if (isEmpty(before) && ended.length === 0) return undefined;
      return () => {
        clear();
        change(before);
        runs.set(new Map(ended));
      };
    },
    removeColumn(column) {
      clear(column);
      allCases.removeColumn(column);
      change({ columns: state.get().columns.filter(({ id }) => id !== column) });
    },
    async start(column, call) {
      aborters.get(column)?.abort();
      const aborter = new AbortController();
      aborters.set(column, aborter);
      const isCurrent = () => aborters.get(column) === aborter;
      let latest: ColumnRun = newRun(call);
      show(column, latest);
      let shown = latest;
      const showLatest = () => {
        if (shown !== latest && isCurrent()) show(column, latest);
        shown = latest;
      };
      const timer = setInterval(showLatest, renderIntervalMs);
      await runRequest({
        api,
        request: call,
        isDryRun: false,
        signal: aborter.signal,
        onChange: (run) => {
          latest = run;
        },
      });
      clearInterval(timer);
      showLatest();
    },
    stop: () => {
      for (const aborter of aborters.values()) aborter.abort();
    },
  };
}

/** Replaces the inputs, and offers to undo it. */
export function useReplaceInputs(session: RunSession) {
  const showToast = useToast();
  return (message: string, inputs: RunInputs) => {
    const undo = session.replaceInputs(inputs);
    if (undo !== undefined) showToast(message, undo);
  };
}

export function isRunning(run: ColumnRun | undefined): boolean {
  return run !== undefined && ['preparing', 'waiting', 'streaming'].includes(run.phase);
}

/** Debounce: attachments may be megabytes. */
const pauseMs = 300;

/** The inputs, which are stored in the tab while the component is mounted. */
export function useRunState(session: RunSession): RunState {
  const { account } = useSession();
  const { preset } = useWorkbench().snapshot;
  const name = runName(account.id, preset.id);
  const state = useStore(session.state, (all) => all);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change restarts the timer
  useEffect(() => {
    const timer = setTimeout(() => storeRunState(name, session.state.get()), pauseMs);
    return () => clearTimeout(timer);
  }, [name, session, state]);
  // Nothing typed within the pause is lost when the page is left.
  useEffect(() => {
    const storeNow = () => storeRunState(name, session.state.get());
    addEventListener('pagehide', storeNow);
    return () => {
      removeEventListener('pagehide', storeNow);
      storeNow();
    };
  }, [name, session]);
  return state;
}
