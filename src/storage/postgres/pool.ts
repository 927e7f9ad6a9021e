import { Socket } from 'node:net';
import pg, { type PoolClient } from 'pg';
import { isUnavailable, isUnresponsive } from './errors.ts';

/**
 * Connections that are made when they are needed and kept for the next. One that failed is not used again; and when one
 * fell silent the others are not trusted either, or each of them would have to be waited for in turn.
 */
export class Pool {
  readonly #options: pg.PoolConfig;
  #pool: pg.Pool;

  constructor(options: pg.PoolConfig) {
    this.#options = options;
    this.#pool = createPool(options);
  }

  get waitingCount(): number {
    return this.#pool.waitingCount;
  }

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

  #replacePool(): void {
    const stale = this.#pool;
    this.#pool = createPool(this.#options);
    // Ends what is idle now, and what is in use when it is returned.
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
  // A connection that breaks is replaced at the next use; whoever uses it is told by a promise. Without a listener at
  // every moment of its life, also while it changes hands, the process would end.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A server that is gone does not say goodbye in turn; a connection that waited for it would be open for good. */
function createSocketWithCloseTimeout(closeTimeoutMs: number): Socket {
  const socket = new Socket();
  socket.once('finish', () => {
    const timer = setTimeout(() => socket.destroy(), closeTimeoutMs);
    socket.once('close', () => clearTimeout(timer));
  });
  return socket;
}

/** A standby may lag behind, and say of a key that was just made that there is none. */
function rejectStandby(client: PoolClient, done: (error?: Error) => void): void {
  client
    .query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby')
    .then(
      ({ rows }) => done(rows[0]?.is_standby ? new Error('the connection leads to a standby') : undefined),
      done,
    );
}

/** Not what a rule of ours has to say about what was asked. */
function isDatabaseError(error: unknown): boolean {
  return error instanceof pg.DatabaseError || isUnavailable(error);
}
