import { type Engine, type Statement, statement, type Value } from './statement.ts';

/** Runs a statement and returns its rows. A statement that only writes has none. */
export interface Query extends Run {
  readonly engine: Engine;
  /** Runs a statement with each of these lists of values in turn, and returns the rows of all. */
  readonly each: RunEach;
}

type Run = <Row>(statement: Statement<Row>, values?: readonly Value[]) => Promise<Row[]>;

type RunEach = <Row>(statement: Statement<Row>, lists: readonly (readonly Value[])[]) => Promise<Row[]>;

export function queryOn(engine: Engine, run: Run, each: RunEach = eachOf(run)): Query {
  return Object.assign(run, { engine, each });
}

function eachOf(run: Run): RunEach {
  return async <Row>(statement: Statement<Row>, lists: readonly (readonly Value[])[]) => {
    const rows: Row[] = [];
    for (const values of lists) rows.push(...(await run(statement, values)));
    return rows;
  };
}

/** The options that an opened database and its stores share. */
export interface DatabaseOptions {
  /** How long to wait for a connection, a lock or a statement before failing with `unavailable`. */
  readonly timeoutMs: number;
  /** The most writes that may wait; past it, they fail with `unavailable`. */
  readonly writesWaitingMax: number;
  /** Logs database problems that no caller's error reports. */
  readonly logError?: ((message: string) => void) | undefined;
}

/**
 * A database as the stores see it. An engine implements it with its driver.
 *
 * Failures that the database causes are `PresetdError`s of the kind `unavailable`. Every write is
 * durable when its promise resolves.
 */
export interface Database {
  readonly engine: Engine;
  /** Reads what is committed. */
  readonly query: Query;
  /** Runs a single statement that writes. */
  readonly write: Query;
  /**
   * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. It sees its
   * own writes only through the query that it gets. It runs again if it throws `LostRace`, or if
   * the database asks for that, so only its last run counts. Transactions with the same `key` run
   * one after the other in this process, so that waits for the same row occupy no connections.
   */
  transaction<T>(work: (query: Query) => Promise<T>, key?: string): Promise<T>;
}

/** A database with the connections that it uses. */
export interface OpenDatabase extends Database {
  /** Checks that the database responds and accepts writes; throws `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Finishes what has been started, then closes the connections. Nothing may start after it. */
  close(): Promise<void>;
}

/** Fails when the schema is missing. SQLite reports a read-only file only on a write. */
export const pingStatement = statement<{ readonly isReadOnly: boolean | 0 }>('ping', {
  sqlite: 'SELECT 0 AS "isReadOnly", count(*) FROM schema_migrations',
  postgres: `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly", count(*)
    FROM schema_migrations`,
});

/** A concurrent transaction was faster; this one may be retried. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}

/** A row with the same unique values exists. The transaction cannot go on. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
}

/** Waits for a write. Throws `conflict()` when a row with the same unique values exists. */
export async function unlessTaken<T>(writing: Promise<T>, conflict: () => Error): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    throw error instanceof UniqueViolation ? conflict() : error;
  }
}
