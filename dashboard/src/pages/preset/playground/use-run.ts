import { useEffect, useRef, useState } from 'react';
import type { Api } from '../../../api/api.ts';
import { type CallRequest, newRun, type Run, runRequest } from './run.ts';

/** 20 frames per second look continuous; a model may send a thousand chunks per second. */
const renderIntervalMs = 50;

/** Manages the current run. Starting another, stopping, or leaving the page aborts it. */
export function useRun<Request extends CallRequest>() {
  const [run, setRun] = useState<Run<Request>>();
  const aborter = useRef<AbortController>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);

  async function start(api: Api, request: Request, isDryRun: boolean) {
    aborter.current?.abort();
    const current = new AbortController();
    aborter.current = current;
    setRun(newRun(request));
    const throttled = throttle((next: Run<Request>) => {
      if (aborter.current === current) setRun(next);
    });
    await runRequest({ api, request, isDryRun, signal: current.signal, onChange: throttled.call });
    throttled.flush();
  }

  const isRunning = run !== undefined && ['preparing', 'waiting', 'streaming'].includes(run.phase);
  return {
    run,
    isRunning,
    send: (api: Api, request: Request) => start(api, request, false),
    preview: (api: Api, request: Request) => start(api, request, true),
    stop: () => aborter.current?.abort(),
  };
}

/**
 * Calls `callback` at most once per interval, with the latest value. `flush` delivers it at once.
 */
function throttle<Value>(callback: (value: Value) => void) {
  let pending: { readonly value: Value } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending !== undefined) callback(pending.value);
    pending = undefined;
  };
  return {
    flush,
    call(value: Value) {
      pending = { value };
      timer ??= setTimeout(flush, renderIntervalMs);
    },
  };
}
