import pg, { type PoolClient, type QueryResultRow } from 'pg';
import { tooManyWrites } from '../../core/errors.ts';
import { fromPostgres, isUnavailable } from './errors.ts';
import { Pool } from './pool.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long a connection or a statement may take before the caller is told `unavailable`. */
  readonly timeoutMs: number;
  /** Transactions that may wait for a connection; one more is `unavailable`. */
  readonly writesWaitingMax: number;
  /** Logs trouble that no caller is told of. */
  readonly logError?: ((message: string) => void) | undefined;
}

/** A statement that the server parses and plans once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export class PostgresConnection {
  readonly #statements: Pool;
  /** Of its own: a transaction may wait for another that holds a row, and those who only read must not wait with it. */
  readonly #transactions: Pool;
  readonly #waitingMax: number;
  readonly #timeoutMs: number;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** The last of those who wait for their turn, by what they wait for. */
  readonly #exclusiveTails = new Map<string, Promise<unknown>>();
  #exclusiveWaiting = 0;

  /** Without a limit, a statement may take as long as it needs: for migrations. */
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

  query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.#track(this.#query<Row>(statement, values));
  }

  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#track(this.#transaction(work));
  }

  /** Does this after everything of the same name that this process was asked for before; `unavailable` if that takes long. */
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
    // Whoever comes next waits for the end, not for the success.
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

  /** Lets what is under way finish: the pool would leave those hanging who still wait for a connection. */
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
    // A server that is in trouble undoes it when the connection ends, and might not answer to this.
    if (!isUnavailable(error)) await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * The server is to be the first to say that something takes too long, so that no word from it means that it cannot be
 * reached; and whoever asked is told after both. Where it cannot reach us, nothing may stay locked.
 */
function timeoutSettings(timeoutMs: number): pg.PoolConfig {
  return {
    statement_timeout: Math.ceil(timeoutMs * 0.9),
    query_timeout: Math.ceil(timeoutMs * 0.95),
    idle_in_transaction_session_timeout: timeoutMs,
  };
}

/**
 * Every statement of ours finds its rows by key, whatever the values, so it is planned once per connection: planning
 * anew costs more than running. The plan may be made while a table is empty, when reading all of it looks cheapest, and
 * must still be right when it is full. Nor does it know how short a page is: rather than follow an index that has the
 * rows in order, it would collect all of them by a bitmap and sort them. It is never worth compiling.
 */
const plannerSettings = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'jit=off',
];

/** Whoever is cut off for good is noticed by the server within a minute and a half, not after two hours. */
const keepaliveSettings = ['tcp_keepalives_idle=60', 'tcp_keepalives_interval=10', 'tcp_keepalives_count=3'];

/** What we rely on, whatever the server's own defaults are. */
export const sessionSettings = [
  ...plannerSettings,
  // An answer is given after the version has reached the disk, and that of a synchronous standby where there is one.
  'synchronous_commit=on',
  ...keepaliveSettings,
  'default_transaction_isolation=read\\ committed',
  'timezone=UTC',
  'datestyle=ISO',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** What a URL sets for its sessions comes before what we rely on; the driver would take it in the place of that. */
function connectionSettings(url: string): pg.PoolConfig {
  const urlOptions = new URL(url).searchParams.get('options');
  if (urlOptions === null) return { connectionString: url, options: sessionSettings };
  const connectionString = url.replace(/(?<=[?&])options=[^&#]*&?/, '');
  return { connectionString, options: `${urlOptions} ${sessionSettings}` };
}

const timestamptz = 1184;
const json = 114;
const bigint = 20;

function parserFor(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === timestamptz) return (value) => new Date(value).toISOString();
  if (oid === json) return (value) => value;
  if (oid === bigint) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
