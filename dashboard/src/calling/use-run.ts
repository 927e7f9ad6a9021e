import { useEffect, useRef, useState } from 'react';
import type { Api } from '../api/api.ts';
import type { PlaygroundRequest } from './playground-request.ts';
import { firstRun, type Run, runRequest } from './run.ts';

/** As often as an eye notices; a model may send a thousand pieces in a second. */
const shownEveryMs = 50;

/** One run at a time. It ends when somebody stops it, begins another or leaves the page. */
export function useRun() {
  const [run, setRun] = useState<Run>();
  const aborter = useRef<AbortController>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);

  async function start(api: Api, request: PlaygroundRequest, isDry: boolean) {
    aborter.current?.abort();
    const current = new AbortController();
    aborter.current = current;
    setRun(firstRun(request));
    const shown = throttled((next: Run) => {
      if (aborter.current === current) setRun(next);
    });
    await runRequest({ api, request, isDry, signal: current.signal, onChange: shown.show });
    shown.flush();
  }

  const isUnderWay = run !== undefined && ['preparing', 'waiting', 'answering'].includes(run.phase);
  return {
    run,
    isUnderWay,
    send: (api: Api, request: PlaygroundRequest) => start(api, request, false),
    show: (api: Api, request: PlaygroundRequest) => start(api, request, true),
    stop: () => aborter.current?.abort(),
  };
}

/** Shows the last of several values that come close after each other. */
function throttled<Value>(show: (value: Value) => void) {
  let waiting: { readonly value: Value } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== undefined) show(waiting.value);
    waiting = undefined;
  };
  return {
    flush,
    show(value: Value) {
      waiting = { value };
      timer ??= setTimeout(flush, shownEveryMs);
    },
  };
}
