import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';

/** A request to send, in autocannon's form. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly url: string;
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly until: { readonly durationSeconds: number } | { readonly requestCount: number };
}

/** The result of one load run. All requests succeeded, or the run would have failed. */
export interface Round {
  readonly requestCount: number;
  readonly rps: number;
  readonly latenciesMicroseconds: RecordableHistogram;
}

/**
 * Loads a server in a closed loop: each connection sends its next request when the response to the
 * last has arrived. Fails when any response is not 2xx.
 */
export async function applyLoad(load: Load, interruption: AbortSignal): Promise<Round> {
  interruption.throwIfAborted();
  const latenciesMicroseconds = createHistogram();
  const requestLists = distribute(load.requests, load.connections);
  const run = autocannon({
    url: load.url,
    connections: load.connections,
    ...('requestCount' in load.until
      ? { amount: load.until.requestCount }
      : { duration: load.until.durationSeconds }),
    setupClient: (client) => client.setRequests(requestLists.pop() ?? []),
  });
  // Autocannon rounds percentiles to milliseconds, which is too coarse for responses that take two.
  run.on('response', (_client, _status, _bytes, ms) =>
    latenciesMicroseconds.record(Math.max(1, Math.round(ms * 1_000))),
  );
  const stop = () => run.stop();
  interruption.addEventListener('abort', stop);
  try {
    const result = await run;
    interruption.throwIfAborted();
    if (result.non2xx + result.errors > 0 || result['2xx'] === 0) throw failedRound(load, result);
    const requestCount = result['2xx'];
    return { requestCount, rps: requestCount / result.duration, latenciesMicroseconds };
  } finally {
    interruption.removeEventListener('abort', stop);
  }
}

/**
 * Returns one list per connection. If there are fewer requests than connections, several send the
 * same ones.
 */
function distribute(requests: readonly LoadRequest[], connections: number): LoadRequest[][] {
  return Array.from({ length: connections }, (_, connection) => {
    const own = requests.filter((_request, index) => index % connections === connection);
    return (own.length > 0 ? own : requests).map((request) => ({ ...request }));
  });
}

function failedRound(load: Load, result: autocannon.Result): Error {
  const statuses = Object.entries(result.statusCodeStats).map(
    ([status, { count }]) => `${count} × ${status}`,
  );
  return new Error(
    `Not every response of ${load.url} was 2xx, so its figures are meaningless: ${statuses.join(', ') || 'no response'}; ${result.errors} connection errors, including ${result.timeouts} timeouts.`,
  );
}
