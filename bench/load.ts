import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';

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

export interface Round {
  readonly requestCount: number;
  readonly rps: number;
  readonly latenciesMicroseconds: RecordableHistogram;
}

/** A closed loop: every connection sends its next request when the answer to the last has come. */
export async function applyLoad(load: Load, interruption: AbortSignal): Promise<Round> {
  interruption.throwIfAborted();
  const latenciesMicroseconds = createHistogram();
  const shares = shareOut(load.requests, load.connections);
  const run = autocannon({
    url: load.url,
    connections: load.connections,
    ...('requestCount' in load.until
      ? { amount: load.until.requestCount }
      : { duration: load.until.durationSeconds }),
    setupClient: (client) => client.setRequests(shares.pop() ?? []),
  });
  // Autocannon's own percentiles are whole milliseconds, which is too coarse for answers that take two.
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

/** A list for each connection. Where there are fewer requests than connections, they are sent by several. */
function shareOut(requests: readonly LoadRequest[], connections: number): LoadRequest[][] {
  return Array.from({ length: connections }, (_, connection) => {
    const share = requests.filter((_request, index) => index % connections === connection);
    return (share.length > 0 ? share : requests).map((request) => ({ ...request }));
  });
}

function failedRound(load: Load, result: autocannon.Result): Error {
  const statuses = Object.entries(result.statusCodeStats).map(
    ([status, { count }]) => `${count} × ${status}`,
  );
  return new Error(
    `${load.url} did not answer every request with 2xx, so its figures mean nothing: ${statuses.join(', ') || 'no answer'}; ${result.errors} connection errors, of which ${result.timeouts} timeouts.`,
  );
}
