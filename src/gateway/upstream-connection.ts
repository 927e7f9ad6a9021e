import { Pool } from 'undici';
import { ConcurrencyLimiter } from '../core/concurrency-limiter.ts';
import { RetryAfterTracker } from './retry-after-tracker.ts';
import { createRequestBase, type UpstreamRequestBase } from './upstream-request.ts';
import type { Upstream } from './upstreams/upstream.ts';

/**
 * An upstream together with everything that lasts between calls to it: the connection pool, the
 * concurrency limiter and the Retry-After state.
 *
 * Gateway snapshots create and share connections and count the references to them; when the last
 * one is released, the pool is destroyed. The pool opens sockets on demand.
 */
export interface UpstreamConnection extends UpstreamRequestBase {
  readonly upstream: Upstream;
  readonly pool: Pool;
  /** Undefined if the upstream has no `concurrency_max`. */
  readonly limiter: ConcurrencyLimiter | undefined;
  readonly retryAfter: RetryAfterTracker;
  /** How many snapshots use this connection. */
  referenceCount: number;
}

/** Opens no socket yet. */
export function createUpstreamConnection(upstream: Upstream, userAgent: string): UpstreamConnection {
  const { concurrencyMax, queueMax, baseUrl, timeouts, key } = upstream;
  return {
    ...createRequestBase(upstream, key?.secret, userAgent),
    upstream,
    pool: new Pool(new URL(baseUrl).origin, {
      connect: { timeout: timeouts.connectMs },
      allowH2: false,
      // The exchange enforces timeouts itself. These would also end a stream that waits for its
      // client.
      headersTimeout: 0,
      bodyTimeout: 0,
      // With pipelining, a call would wait behind another call's stream.
      pipelining: 1,
      maxHeaderSize: 64 * 1_024,
    }),
    limiter: concurrencyMax === undefined ? undefined : new ConcurrencyLimiter(concurrencyMax, queueMax),
    retryAfter: new RetryAfterTracker(),
    referenceCount: 0,
  };
}
