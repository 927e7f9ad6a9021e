/**
 * The Run part of one preset: what is set up to run, and the results.
 *
 * A session outlives the components that show it, so that results stay and runs continue when the
 * layout changes or the user visits another page. Inputs and results are also stored in the tab and
 * survive a reload, after which a run that was in flight counts as stopped. Sessions belong to the
 * client of the signed-in person: signing out aborts its requests and drops it, and with it
 * everything here.
 */

import { useEffect } from 'react';
import type { Api } from '../../../api/api.ts';
import { useSession } from '../../../api/session.ts';
import { createStore, type Store } from '../../../components/store.ts';
import { useToast } from '../../../components/toasts.tsx';
import {
  emptyRunState,
  inputsOf,
  isEmpty,
  type RunInputs,
  type RunState,
  readRunState,
  runName,
  storeRunState,
} from '../../../features/runs/run-state.ts';
import { useWorkbench } from '../workbench.ts';
import { type AllCasesRun, createAllCasesRun, runWith } from './cases/all-cases-run.ts';
import type { ColumnCall } from './column-call.ts';
import { completeCost, hasEnded, newRun, runRequest } from './run.ts';
import { callingApi } from './run-client.tsx';
import { type ColumnRun, type Results, readResults, resultOf, storeResults } from './run-result.ts';

export interface RunSession {
  readonly state: Store<RunState>;
  /** The last run of each column. */
  readonly runs: Store<ReadonlyMap<number, ColumnRun>>;
  readonly allCases: AllCasesRun;
  change(changed: Partial<RunState>): void;
  /** Starts the run of a column and aborts its last one. */
  start(column: number, call: ColumnCall): Promise<void>;
  /** Aborts runs: all, or that of one column. */
  stop(column?: number): void;
  /** Aborts and forgets runs: all, or that of one column. */
  clear(column?: number): void;
  /**
   * Replaces the inputs and forgets the results. Returns how to undo it; undefined if nothing was
   * lost.
   */
  replaceInputs(inputs: RunInputs): (() => void) | undefined;
  /** Removes a column with its results. */
  removeColumn(column: number): void;
  /** Aborts everything. What is stored in the tab stays there. */
  close(): void;
}

/** Results may be large; the presets that were used last keep theirs. */
const sessionsMax = 10;

const sessions = new WeakMap<Api, Map<string, RunSession>>();

/** The session of the preset on the page. */
export function useRunSession(): RunSession {
  const { api, account, workspaceId } = useSession();
  const { home, canEdit } = useWorkbench();
  const name = runName(account.id, home.presetId);
  const session = runSessionOf(api, workspaceId, name, canEdit);
  useEffect(() => {
    const ofClient = sessions.get(api);
    if (ofClient === undefined) return;
    for (const [idle, dropped] of markUsed(ofClient, name, session)) {
      ofClient.delete(idle);
      dropped.close();
    }
  }, [api, name, session]);
  return session;
}

export function runSessionOf(
  api: Api,
  workspaceId: string | undefined,
  name: string,
  canDraft: boolean,
): RunSession {
  const ofClient = sessions.get(api) ?? new Map<string, RunSession>();
  sessions.set(api, ofClient);
  const existing = ofClient.get(name);
  if (existing !== undefined) return existing;
  const state = readRunState(name) ?? emptyRunState(canDraft);
  const getApi = () => callingApi(api, workspaceId);
  const session = keptInTab(createRunSession(getApi, state, readResults(name)), name, api.ended);
  ofClient.set(name, session);
  return session;
}

/** Debounce: attachments and results may be megabytes. */
const pauseMs = 300;

/** Stores inputs and results in the tab until the session is closed or the user leaves. */
function keptInTab(session: RunSession, name: string, signal: AbortSignal | undefined): RunSession {
  const { state, runs, allCases } = session;
  // Otherwise the end of the calls in flight would start others before the page is gone. Before the
  // listeners that store what it changes.
  const stop = () => {
    session.stop();
    allCases.stop();
  };
  addEventListener('pagehide', stop);
  const ends = [
    saveChanges([state], () => storeRunState(name, state.get())),
    saveChanges([runs, allCases.state], () =>
      storeResults(name, { runs: runs.get(), cells: allCases.state.get().cells }),
    ),
  ];
  const end = () => {
    for (const each of ends) each();
    removeEventListener('pagehide', stop);
    signal?.removeEventListener('abort', end);
  };
  // Before the drafts of this person are removed, after which nothing may be stored.
  signal?.addEventListener('abort', end, { once: true });
  return {
    ...session,
    close() {
      end();
      session.close();
    },
  };
}

/** Saves after each pause in the changes, and when the page is left. Returns how to end that. */
function saveChanges(stores: readonly Pick<Store<unknown>, 'subscribe'>[], save: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const saveNow = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    save();
  };
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(saveNow, pauseMs);
  };
  const unsubscribe = stores.map((store) => store.subscribe(onChange));
  addEventListener('pagehide', saveNow);
  return () => {
    saveNow();
    for (const each of unsubscribe) each();
    removeEventListener('pagehide', saveNow);
  };
}

/** Makes a session the last used one. Returns those to drop: idle, and unused the longest. */
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

/**
 * `getApi` is called for every run: a key that the user enters comes and goes. `restored` are the
 * results of an earlier session.
 */
export function createRunSession(getApi: () => Api, start: RunState, restored?: Results): RunSession {
  const state = createStore(start);
  const runs = createStore<ReadonlyMap<number, ColumnRun>>(restored?.runs ?? new Map());
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
  const allCases = createAllCasesRun(runWith(getApi), restored?.cells);
  // The page was reloaded before these costs were known.
  for (const [column, run] of restored?.runs ?? [])
    void completeCost(getApi(), run, (changed) => {
      if (runs.get().get(column)?.callId === run.callId) show(column, { ...run, ...changed });
    });
  for (const [key, cell] of restored?.cells ?? [])
    void completeCost(getApi(), cell, (changed) => allCases.showCost(key, { ...cell, ...changed }));

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
      let latest = resultOf(newRun(call));
      show(column, latest);
      let shown = latest;
      let hasReturned = false;
      const showLatest = () => {
        if (shown !== latest && isCurrent()) show(column, latest);
        shown = latest;
      };
      const timer = setInterval(showLatest, renderIntervalMs);
      await runRequest({
        api: getApi(),
        request: call,
        signal: aborter.signal,
        onChange: (run) => {
          latest = resultOf(run);
          if (hasReturned) showLatest();
        },
      });
      clearInterval(timer);
      hasReturned = true;
      showLatest();
    },
    stop(column) {
      for (const [id, aborter] of aborters) if (column === undefined || id === column) aborter.abort();
    },
    close() {
      clear();
      allCases.clear();
    },
  };
}

/** Gives what is set up to run, and the results, to a preset that has no inputs of its own yet. */
export function handOverRuns(session: RunSession, target: RunSession): void {
  if (!isEmpty(inputsOf(target.state.get()))) return;
  target.change(session.state.get());
  target.runs.set(new Map([...session.runs.get()].filter(([, run]) => !isRunning(run))));
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
  return run !== undefined && !hasEnded(run);
}
