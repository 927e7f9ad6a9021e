import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { type OpenDatabase, pingStatement, type Query, queryOn, UniqueViolation } from '../database.ts';
import { decodeRows, type Statement, type Value } from '../statement.ts';
import { fromSqlite, isUniqueViolation } from './errors.ts';
import { WriteQueue, type WriteQueueOptions } from './write-queue.ts';

/**
 * Runs the statements of the stores on one connection to the file, and on a second one reads that
 * happen during a transaction, so that they never see what is not committed yet. These are few,
 * because SQLite is synchronous: between the statements of a transaction, only what waited for a
 * promise can run. All reads on the second connection would cost twice as much during writes, since
 * a commit of one connection discards what another one has cached.
 */
export class SqliteDatabase implements OpenDatabase {
  readonly engine = 'sqlite';
  readonly query: Query;
  readonly #main: DatabaseSync;
  readonly #second: DatabaseSync;
  readonly #queue: WriteQueue;
  readonly #queryMain: Query;

  /** `second` only reads. */
  constructor(main: DatabaseSync, second: DatabaseSync, options: WriteQueueOptions) {
    this.#main = main;
    this.#second = second;
    this.#queue = new WriteQueue(main, options);
    this.#queryMain = queryOf(main);
    const querySecond = queryOf(second);
    this.query = queryOn('sqlite', async (statement, values) => {
      try {
        return await (main.isTransaction ? querySecond : this.#queryMain)(statement, values);
      } catch (error) {
        throw fromSqlite(error);
      }
    });
  }

  readonly write: Query = queryOn('sqlite', (statement, values) =>
    this.transaction((query) => query(statement, values)),
  );

  /** Only one transaction at a time writes to the file, so that none can lose a race. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#queue.write(() => work(this.#queryMain));
  }

  /** Writes nothing, but like a write: a read would succeed on a read-only or moved file. */
  async ping(): Promise<void> {
    await this.write(pingStatement);
    this.#queue.assertDiskHasRoom();
  }

  /** The connection that writes is closed last: it removes the write-ahead log. */
  async close(): Promise<void> {
    await this.#queue.drain();
    this.#second.close();
    this.#main.close();
  }
}

/** How many rows a statement may write before other work gets its turn: that takes 2 ms. */
const stepMax = 100;

/** Runs statements on this connection, which compiles each when it is first used. */
function queryOf(connection: DatabaseSync): Query {
  const prepared = new Map<string, StatementSync>();
  const prepare = <Row>({ name, text }: Statement<Row>) => {
    const statement = prepared.get(name) ?? connection.prepare(text.sqlite);
    if (name !== '') prepared.set(name, statement);
    return statement;
  };
  const run = <Row>(statement: Statement<Row>, lists: readonly (readonly Value[])[]) => {
    try {
      const compiled = prepare(statement);
      return decodeRows(
        statement,
        lists.flatMap((values) => compiled.all(...values.map(toInput))),
      );
    } catch (error) {
      throw isUniqueViolation(error) ? new UniqueViolation(statement.name, { cause: error }) : error;
    }
  };
  return queryOn(
    'sqlite',
    async (statement, values = []) => run(statement, [values]),
    async (statement, lists) => {
      const rows = run(statement, lists.slice(0, stepMax));
      for (let done = stepMax; done < lists.length; done += stepMax) {
        await setImmediate();
        for (const row of run(statement, lists.slice(done, done + stepMax))) rows.push(row);
      }
      return rows;
    },
  );
}

function toInput(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
