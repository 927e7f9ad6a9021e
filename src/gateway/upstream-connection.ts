import { Pool } from 'undici';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { RetryAfterTracker } from './retry-after-tracker.ts';
import { createRequestBase, type UpstreamRequestBase } from './upstream-request.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** An upstream with the connections to it, and the turns that requests take at it. */
export interface UpstreamConnection extends UpstreamRequestBase {
  readonly upstream: Upstream;
  readonly pool: Pool;
  /** Undefined where everybody may go at once. */
  readonly limiter: ConcurrencyLimiter | undefined;
  readonly retryAfter: RetryAfterTracker;
  /** How many configurations have it. */
  referenceCount: number;
}

export function createUpstreamConnection(upstream: Upstream, userAgent: string): UpstreamConnection {
  const { concurrencyMax, queueMax, baseUrl, timeouts, key } = upstream;
  return {
    ...createRequestBase(upstream, key?.secret, userAgent),
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
    limiter: concurrencyMax === undefined ? undefined : new ConcurrencyLimiter(concurrencyMax, queueMax),
    retryAfter: new RetryAfterTracker(),
    referenceCount: 0,
  };
}
