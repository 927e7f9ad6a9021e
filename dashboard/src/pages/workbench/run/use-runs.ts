import { useEffect, useRef, useState } from 'react';
import type { Api } from '../../../api/api.ts';
import { type CallRequest, newRun, type Run, runRequest } from '../../preset/playground/run.ts';

/** A call, and a text that changes whenever the same column would send something else. */
export interface ColumnCall extends CallRequest {
  readonly signature: string;
}

export type ColumnRun = Run<ColumnCall>;

/** 10 frames per second for each of four columns. */
const renderIntervalMs = 100;

/**
 * The last run of each column. Starting another one of the same column aborts it, and so does leaving
 * the page.
 */
export function useRuns() {
  const [runs, setRuns] = useState<ReadonlyMap<number, ColumnRun>>(new Map());
  const aborters = useRef(new Map<number, AbortController>());
  useEffect(() => {
    const all = aborters.current;
    return () => {
      for (const aborter of all.values()) aborter.abort();
    };
  }, []);

  const show = (column: number, run: ColumnRun | undefined) =>
    setRuns((before) => {
      const others = [...before].filter(([id]) => id !== column);
      return new Map(run === undefined ? others : [...others, [column, run]]);
    });

  async function start(api: Api, column: number, call: ColumnCall) {
    aborters.current.get(column)?.abort();
    const aborter = new AbortController();
    aborters.current.set(column, aborter);
    const isCurrent = () => aborters.current.get(column) === aborter;
    show(column, newRun(call));
    let latest: ColumnRun | undefined;
    const timer = setInterval(() => latest && isCurrent() && show(column, latest), renderIntervalMs);
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
    if (latest && isCurrent()) show(column, latest);
    return latest;
  }

  return {
    runs,
    start,
    stop: () => {
      for (const aborter of aborters.current.values()) aborter.abort();
    },
    /** Aborts and forgets runs: all, or that of one column. */
    clear: (column?: number) => {
      for (const [id, aborter] of aborters.current)
        if (column === undefined || id === column) {
          aborter.abort();
          aborters.current.delete(id);
        }
      if (column === undefined) setRuns(new Map());
      else show(column, undefined);
    },
  };
}

export function isRunning(run: ColumnRun | undefined): boolean {
  return run !== undefined && ['preparing', 'waiting', 'streaming'].includes(run.phase);
}
