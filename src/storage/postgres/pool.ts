import { Socket } from 'node:net';
import pg, { type PoolClient } from 'pg';
import { isUnavailable, isUnresponsive } from './errors.ts';

/**
 * A pool of connections that recovers from a lost network.
 *
 * Wraps pg's pool, which opens connections on demand, keeps them for reuse and bounds their number.
 * A connection that failed is discarded instead of reused. If a query gets no response at all, the
 * network or the server is gone and every other connection is suspect: the whole pool is replaced,
 * since otherwise each connection would time out in turn. `PostgresDatabase` creates its pools
 * and ends them on close; the replaced ones end by themselves once their connections are returned.
 */
export class Pool {
  readonly #options: pg.PoolConfig;
  #pool: pg.Pool;

  constructor(options: pg.PoolConfig) {
    this.#options = options;
    this.#pool = createPool(options);
  }

  /** How many callers wait for a connection. */
  get waitingCount(): number {
    return this.#pool.waitingCount;
  }

  /** Runs `work` with a connection of the pool and returns it afterwards. */
  async use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    const client = await pool.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(isDatabaseError(error));
      if (isUnresponsive(error) && pool === this.#pool) this.#replacePool();
      throw error;
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  /** Callers that already have a connection of the old pool keep it until they are done. */
  #replacePool(): void {
    const stale = this.#pool;
    this.#pool = createPool(this.#options);
    // Closes idle connections now, and those in use when they are returned.
    void stale.end();
  }
}

function createPool(options: pg.PoolConfig): pg.Pool {
  const { connectionTimeoutMillis = 0 } = options;
  const pool = new pg.Pool({
    ...options,
    verify: rejectStandby,
    stream: () => createSocketWithCloseTimeout(connectionTimeoutMillis),
  });
  // A broken connection is replaced on next use, and its current user gets a rejected promise. But
  // an 'error' event without a listener would end the process, so every connection has one at all
  // times, including while it changes hands.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * A server that is gone never acknowledges the end of a connection, which would stay open forever.
 */
function createSocketWithCloseTimeout(closeTimeoutMs: number): Socket {
  const socket = new Socket();
  socket.once('finish', () => {
    const timer = setTimeout(() => socket.destroy(), closeTimeoutMs);
    socket.once('close', () => clearTimeout(timer));
  });
  return socket;
}

/**
 * A standby may lag behind and not know a key that was just created. The message must contain
 * "connection" for `isUnavailable` to recognize it.
 */
function rejectStandby(client: PoolClient, done: (error?: Error) => void): void {
  client
    .query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby')
    .then(
      ({ rows }) =>
        done(rows[0]?.is_standby ? new Error('the connection is to a standby server') : undefined),
      done,
    );
}

/** False for errors thrown by a rule: the connection is fine. */
function isDatabaseError(error: unknown): boolean {
  return error instanceof pg.DatabaseError || isUnavailable(error);
}
