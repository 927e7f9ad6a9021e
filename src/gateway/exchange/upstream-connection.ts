import { createRequire } from 'node:module';
import type { Pool } from 'undici';
import { ConcurrencyLimiter } from '../../core/concurrency/concurrency-limiter.ts';
import { createRequestBase, type UpstreamRequestBase } from '../request/upstream-request.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { RetryAfterTracker } from './retry-after-tracker.ts';

const require = createRequire(import.meta.url);

/**
 * An upstream together with everything that lasts between calls to it: the connection pool, the
 * concurrency limiter and the Retry-After state.
 *
 * Gateway snapshots create and share connections and count the references to them; when the last
 * one is released, the pool is destroyed. The first call creates it: loading undici would take 50
 * ms and 5 MB of every start.
 */
export interface UpstreamConnection extends UpstreamRequestBase {
  readonly upstream: Upstream;
  readonly pool: Pool;
  /** Closes the pool, if there is one. */
  destroyPool(): Promise<void>;
  /** Undefined if the upstream has no `concurrency_max`. */
  readonly limiter: ConcurrencyLimiter | undefined;
  readonly retryAfter: RetryAfterTracker;
  /** How many snapshots use this connection. */
  referenceCount: number;
}

/** Opens no socket yet. */
export function createUpstreamConnection(upstream: Upstream, userAgent: string): UpstreamConnection {
  const { concurrencyMax, queueMax, key } = upstream;
  let pool: Pool | undefined;
  return {
    ...createRequestBase(upstream, key?.secret, userAgent),
    upstream,
    get pool() {
      pool ??= createPool(upstream);
      return pool;
    },
    async destroyPool() {
      await pool?.destroy();
    },
    limiter: concurrencyMax === undefined ? undefined : new ConcurrencyLimiter(concurrencyMax, queueMax),
    retryAfter: new RetryAfterTracker(),
    referenceCount: 0,
  };
}

function createPool({ baseUrl, timeouts }: Upstream): Pool {
  const undici: typeof import('undici') = require('undici');
  return new undici.Pool(new URL(baseUrl).origin, {
    connect: { timeout: timeouts.connectMs },
    allowH2: false,
    // The exchange enforces timeouts itself. These would also end streams that wait for clients.
    headersTimeout: 0,
    bodyTimeout: 0,
    // With pipelining, a call would wait behind another call's stream.
    pipelining: 1,
    maxHeaderSize: 64 * 1_024,
  });
}
