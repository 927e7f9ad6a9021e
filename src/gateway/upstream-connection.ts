import { Pool } from 'undici';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { type Sender, senderTo } from './outgoing-request.ts';
import { RetryAfterTracker } from './retry-after-tracker.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** An upstream with the connections to it, and the turns that requests take at it. */
export interface UpstreamConnection extends Sender {
  readonly upstream: Upstream;
  readonly pool: Pool;
  /** Undefined where everybody may go at once. */
  readonly turns: ConcurrencyLimiter | undefined;
  readonly retryAfter: RetryAfterTracker;
  /** How many configurations have it. */
  holders: number;
}

export function connectTo(upstream: Upstream, userAgent: string): UpstreamConnection {
  const { concurrencyMax, queueMax, baseUrl, timeouts, key } = upstream;
  return {
    ...senderTo(upstream, key?.secret, userAgent),
    upstream,
    pool: new Pool(new URL(baseUrl).origin, {
      connect: { timeout: timeouts.connectMs },
      allowH2: false,
      // Whoever calls keeps the time: these would end a stream that waits for its reader.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Nobody wants to wait for the stream of another.
      pipelining: 1,
      maxHeaderSize: 64 * 1_024,
    }),
    turns: concurrencyMax === undefined ? undefined : new ConcurrencyLimiter(concurrencyMax, queueMax),
    retryAfter: new RetryAfterTracker(),
    holders: 0,
  };
}
