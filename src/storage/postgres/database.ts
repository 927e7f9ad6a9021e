import { setTimeout as delay } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { databaseUnavailable, tooManyWrites } from '../../core/errors.ts';
import {
  type DatabaseOptions,
  LostRace,
  type OpenDatabase,
  pingStatement,
  type Query,
  queryOn,
  UniqueViolation,
} from '../database.ts';
import { decodeRows, type Statement, type Value } from '../statement.ts';
import {
  fromPostgres,
  isAborted,
  isNameTaken,
  isRetryable,
  isUnavailable,
  isUniqueViolation,
} from './errors.ts';
import { Pool } from './pool.ts';

/** The settings of `StorageOptions` that apply to PostgreSQL. */
export interface PostgresOptions extends DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
}

/** Attempts per transaction. They are mostly lost to others that do the same at that moment. */
const attemptsMax = 5;

/**
 * Runs the statements of the stores over pools of connections.
 *
 * Opening a storage creates one; migrations, backup and restore create short-lived ones of their
 * own. The pool size is split between two pools, because a transaction may wait for a row that
 * another one holds, and reads must not wait behind it. Everything is bounded: connecting and each
 * statement by `timeoutMs`, transactions that wait for a connection or for their turn by
 * `writesWaitingMax`. Failures surface as core errors.
 *
 * `close` waits for work in flight, then closes the pools. Nothing may be started after it.
 */
export class PostgresDatabase implements OpenDatabase {
  readonly engine = 'postgres';
  readonly #statements: Pool;
  /** With a pool size of 1, the same pool as `#statements`. */
  readonly #transactions: Pool;
  readonly #waitingMax: number;
  readonly #timeoutMs: number;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** The end of the chain of promises for each key of `transaction`. */
  readonly #tails = new Map<string, Promise<unknown>>();
  #waitingForTurn = 0;

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
      // Statements of a transaction that do not depend on each other share a round trip.
      pipeline: true,
    };
    const forTransactions = Math.floor(poolSize / 2);
    this.#statements = new Pool({ ...settings, max: poolSize - forTransactions });
    this.#transactions =
      forTransactions === 0 ? this.#statements : new Pool({ ...settings, max: forTransactions });
  }

  readonly query: Query = queryOn('postgres', (statement, values) =>
    this.#track(this.#statements.use((client) => run(client, statement, values))),
  );

  readonly write = this.query;

  transaction<T>(work: (query: Query) => Promise<T>, key?: string): Promise<T> {
    const attempt = () => this.#attempt((client) => work(queryOf(client)));
    return this.#track(key === undefined ? attempt() : this.#inTurn(key, attempt));
  }

  async ping(): Promise<void> {
    const [row] = await this.query(pingStatement);
    // A standby answers reads, but nothing can be stored on it.
    if (row?.isReadOnly) throw databaseUnavailable(new Error('the database is read-only'));
  }

  /** For statements without a name: runs `work` in a transaction, once. */
  session<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#track(this.#transaction(work));
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Runs `work` after all earlier work with the same key in this process. Throws `unavailable` when
   * the wait exceeds the timeout or too much work is waiting.
   */
  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#waitingForTurn >= this.#waitingMax) throw tooManyWrites();
    const deadline = performance.now() + this.#timeoutMs;
    const before = this.#tails.get(key) ?? Promise.resolve();
    const run = before.then(() => {
      this.#waitingForTurn -= 1;
      if (performance.now() > deadline) throw tooManyWrites();
      return work();
    });
    // The next in line waits for this to settle, not to succeed.
    const ended = run.then(
      () => {},
      () => {},
    );
    this.#waitingForTurn += 1;
    this.#tails.set(key, ended);
    try {
      return await run;
    } finally {
      if (this.#tails.get(key) === ended) this.#tails.delete(key);
    }
  }

  async #attempt<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      try {
        return await this.#transaction(work);
      } catch (error) {
        if (!(error instanceof LostRace || isRetryable(error))) throw error;
        // Two that deadlocked should not meet again.
        await delay(Math.random() * 10 * attempt);
      }
    }
    throw databaseUnavailable(new LostRace());
  }

  async #transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#transactions.waitingCount >= this.#waitingMax) throw tooManyWrites();
    return this.#transactions.use((client) => inTransaction(client, work));
  }

  /** Counts the work as in flight until it settles, and translates its errors. */
  #track<T>(work: Promise<T>): Promise<T> {
    const finish = () => this.#inFlight.delete(tracked);
    const tracked = work.catch((error) => {
      throw fromPostgres(error);
    });
    this.#inFlight.add(tracked);
    tracked.then(finish, finish);
    return tracked;
  }
}

/**
 * Lends `work` a database with a connection of its own, whose statements may take as long as they
 * need.
 */
export async function withOwnConnection<T>(
  options: PostgresOptions,
  work: (database: PostgresDatabase) => Promise<T>,
): Promise<T> {
  await using database = new PostgresDatabase({ ...options, poolSize: 1 }, 'unlimited');
  return await work(database);
}

async function inTransaction<T>(client: PoolClient, work: (client: PoolClient) => Promise<T>): Promise<T> {
  // The first statement need not wait for its response.
  holdUntilNextTick(client);
  const beginning = client.query('BEGIN');
  try {
    const [result] = await Promise.all([work(client), beginning]);
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

/**
 * Runs statements on one connection. After one has failed, those that were sent together with it
 * fail too, with an error that says nothing: they get the error of the first.
 */
function queryOf(client: PoolClient): Query {
  let cause: unknown;
  return queryOn('postgres', async (statement, values) => {
    holdUntilNextTick(client);
    try {
      return await run(client, statement, values);
    } catch (error) {
      cause ??= error;
      throw isAborted(error) ? cause : error;
    }
  });
}

/** Statements of the same tick share a system call, which takes as long as all the rest. */
function holdUntilNextTick({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

async function run<Row>(
  client: PoolClient,
  statement: Statement<Row>,
  values: readonly Value[] = [],
): Promise<Row[]> {
  const { name, text } = statement;
  try {
    const { rows } = await client.query({ name, text: text.postgres, values: values.map(toParameter) });
    return decodeRows(statement, rows);
  } catch (error) {
    throw translateError(name, error);
  }
}

function translateError(name: string, error: unknown): unknown {
  if (isNameTaken(error)) return new LostRace(name, { cause: error });
  return isUniqueViolation(error) ? new UniqueViolation(name, { cause: error }) : error;
}

/** The driver would encode a list as a PostgreSQL array. */
function toParameter(value: Value): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
