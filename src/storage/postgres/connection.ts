import pg, { type PoolClient, type QueryResultRow } from 'pg';
import { tooManyWrites } from '../../core/errors.ts';
import { fromPostgres, isUnavailable } from './errors.ts';
import { Pool } from './pool.ts';
import type { Statement } from './statement.ts';

/** The settings of `StorageOptions` that apply to PostgreSQL. */
export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long to wait for a connection or a statement before failing with `unavailable`. */
  readonly timeoutMs: number;
  /**
   * The most transactions that may wait for a connection; past it, they fail with `unavailable`.
   */
  readonly writesWaitingMax: number;
  /** Logs problems that no caller's error reports. */
  readonly logError?: ((message: string) => void) | undefined;
}

/**
 * The database as the stores see it: single statements, transactions, and serialized work.
 *
 * Opening a storage creates one; migrations, backup and restore create short-lived ones of their
 * own. The pool size is split between two pools, because a transaction may wait for a row that
 * another one holds, and reads must not wait behind it. Everything is bounded: connecting and each
 * statement by `timeoutMs`, waiting transactions and serialized work by `writesWaitingMax`.
 * Failures surface as core errors; nothing is retried here.
 *
 * `close` waits for work in flight, then closes the pools. Nothing may be started after it.
 */
export class PostgresConnection {
  readonly #statements: Pool;
  /** With a pool size of 1, the same pool as `#statements`. */
  readonly #transactions: Pool;
  readonly #waitingMax: number;
  readonly #timeoutMs: number;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** The end of the chain of promises for each key of `runExclusive`. */
  readonly #exclusiveTails = new Map<string, Promise<unknown>>();
  #exclusiveWaiting = 0;

  /**
   * Pass 'unlimited' for migrations and backups, whose statements may take as long as they need.
   */
  constructor(
    { url, poolSize, timeoutMs, writesWaitingMax }: PostgresOptions,
    statements: 'limited' | 'unlimited' = 'limited',
  ) {
    this.#waitingMax = writesWaitingMax;
    this.#timeoutMs = timeoutMs;
    const settings = {
      ...connectionSettings(url),
      connectionTimeoutMillis: timeoutMs,
      ...(statements === 'limited' && timeoutSettings(timeoutMs)),
      application_name: 'presetd',
      keepAlive: true,
      types: { getTypeParser: parserFor },
    };
    const forTransactions = Math.floor(poolSize / 2);
    this.#statements = new Pool({ ...settings, max: poolSize - forTransactions });
    this.#transactions =
      forTransactions === 0 ? this.#statements : new Pool({ ...settings, max: forTransactions });
  }

  /** Runs a single statement. */
  query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.#track(this.#query<Row>(statement, values));
  }

  /** Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#track(this.#transaction(work));
  }

  /**
   * Runs `work` after all earlier work with the same key in this process. Throws `unavailable` when
   * the wait exceeds the timeout or too much work is waiting.
   */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#track(this.#runExclusive(key, work));
  }

  async #runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#exclusiveWaiting >= this.#waitingMax) throw tooManyWrites();
    const deadline = performance.now() + this.#timeoutMs;
    const before = this.#exclusiveTails.get(key) ?? Promise.resolve();
    const run = before.then(() => {
      this.#exclusiveWaiting -= 1;
      if (performance.now() > deadline) throw tooManyWrites();
      return work();
    });
    // The next in line waits for this to settle, not to succeed.
    const ended = run.then(
      () => {},
      () => {},
    );
    this.#exclusiveWaiting += 1;
    this.#exclusiveTails.set(key, ended);
    try {
      return await run;
    } finally {
      if (this.#exclusiveTails.get(key) === ended) this.#exclusiveTails.delete(key);
    }
  }

  /**
   * Waits for work in flight before closing the pools: pg's pool would never settle requests that
   * still wait for a connection.
   */
  async close(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
    await this.#statements.end();
    if (this.#transactions !== this.#statements) await this.#transactions.end();
  }

  async #query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.#statements.use(
        async (client) => (await client.query<Row>({ ...statement, values: [...values] })).rows,
      );
    } catch (error) {
      throw fromPostgres(error);
    }
  }

  async #transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#transactions.waitingCount >= this.#waitingMax) throw tooManyWrites();
    try {
      return await this.#transactions.use((client) => inTransaction(client, work));
    } catch (error) {
      throw fromPostgres(error);
    }
  }

  /** Counts the work as in flight until it settles. */
  #track<T>(work: Promise<T>): Promise<T> {
    const finish = () => this.#inFlight.delete(work);
    this.#inFlight.add(work);
    work.then(finish, finish);
    return work;
  }
}

async function inTransaction<T>(client: PoolClient, work: (client: PoolClient) => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // The server rolls back when the connection closes. If it is unavailable, a ROLLBACK might
    // hang.
    if (!isUnavailable(error)) await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * Timeouts in order: the server cancels a statement first, so silence beyond that means that it
 * cannot be reached; the driver gives up next; callers see the error last. The idle timeout makes
 * the server release locks when it cannot reach us.
 */
function timeoutSettings(timeoutMs: number): pg.PoolConfig {
  return {
    statement_timeout: Math.ceil(timeoutMs * 0.9),
    query_timeout: Math.ceil(timeoutMs * 0.95),
    idle_in_transaction_session_timeout: timeoutMs,
  };
}

/**
 * Statements find their rows by index whatever their values, so one generic plan per connection is
 * enough: planning again costs more than running. But the plan may be made while a table is empty,
 * when a sequential scan looks cheapest, and must still be right when it is full. The planner does
 * not know either how short a page is, and would rather collect and sort all rows by a bitmap than
 * follow an ordered index. No statement runs long enough for JIT compilation to pay off.
 */
const plannerSettings = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'jit=off',
];

/**
 * The server notices a lost client within a minute and a half instead of two hours, and releases
 * its locks.
 */
const keepaliveSettings = ['tcp_keepalives_idle=60', 'tcp_keepalives_interval=10', 'tcp_keepalives_count=3'];

/** Session settings that presetd relies on, whatever the server's defaults are. */
export const sessionSettings = [
  ...plannerSettings,
  // An acknowledged write is on disk, and on a synchronous standby if there is one.
  'synchronous_commit=on',
  ...keepaliveSettings,
  'default_transaction_isolation=read\\ committed',
  'timezone=UTC',
  'datestyle=ISO',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Options in the URL come before presetd's own, which win. The driver alone would use only the
 * URL's.
 */
function connectionSettings(url: string): pg.PoolConfig {
  const urlOptions = new URL(url).searchParams.get('options');
  if (urlOptions === null) return { connectionString: url, options: sessionSettings };
  const connectionString = url.replace(/(?<=[?&])options=[^&#]*&?/, '');
  return { connectionString, options: `${urlOptions} ${sessionSettings}` };
}

/** Type OIDs from pg_type. */
const timestamptz = 1184;
const json = 114;
const bigint = 20;

/**
 * Times become ISO strings; JSON stays text, so that configs keep their exact bytes; counts become
 * numbers, which they never outgrow.
 */
function parserFor(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === timestamptz) return (value) => new Date(value).toISOString();
  if (oid === json) return (value) => value;
  if (oid === bigint) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

/** Runs statements: in one transaction when made by `queryOf`, else on any connection. */
export type Query = <Row extends QueryResultRow>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

/**
 * Binds queries to the connection of a transaction. Errors are translated by `PostgresConnection`.
 */
export function queryOf(client: PoolClient): Query {
  return async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) =>
    (await client.query<Row>({ ...statement, values: [...values] })).rows;
}

/** A concurrent transaction was faster; this one may be retried. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}
