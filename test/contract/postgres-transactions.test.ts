import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LostRace, UniqueViolation } from '../../src/storage/database.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import type { Statement } from '../../src/storage/statement.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';

/** Not made with `statement`, which is for those of the stores. */
function named<Row>(name: string, postgres: string): Statement<Row> {
  return { name, text: { sqlite: '', postgres } };
}

const add = named('add', 'INSERT INTO names VALUES ($1)');
const list = named<{ readonly name: string }>('list', 'SELECT name FROM names ORDER BY name');

describe.runIf(engines.includes('postgres'))('a transaction of PostgreSQL', () => {
  let created: TestDatabase;
  let database: PostgresDatabase;
  beforeAll(async () => {
    created = await createDatabase('postgres');
  });
  afterAll(() => created.drop());
  beforeEach(async () => {
    const client = new pg.Client({ connectionString: created.url });
    await client.connect();
    await client.query('DROP TABLE IF EXISTS names; CREATE TABLE names (name text PRIMARY KEY)');
    await client.end();
    // One connection for transactions.
    const limits = { poolSize: 2, timeoutMs: 60_000, writesWaitingMax: 2 };
    database = new PostgresDatabase({ url: created.url, ...limits });
  });
  afterEach(() => database.close());

  const names = async (query = database.query) => (await query(list)).map(({ name }) => name);
  const addInTurn = (name: string) => database.transaction((query) => query(add, [name]), 'key');

  /** A transaction that lasts until a promise settles. */
  const hold = (until: Promise<void>, key?: string) => {
    const begun = Promise.withResolvers<void>();
    const ended = database.transaction(() => {
      begun.resolve();
      return until;
    }, key);
    return { begun: begun.promise, ended };
  };

  it('sees its own writes, and others see them once they are committed', async () => {
    await database.transaction(async (query) => {
      await query(add, ['a']);
      expect(await names(query)).toEqual(['a']);
      expect(await names()).toEqual([]);
    });
    expect(await names()).toEqual(['a']);
  });

  it('leaves nothing behind if a rule rejects it, and its connection works on', async () => {
    const failing = database.transaction(async (query) => {
      await query(add, ['a']);
      throw new Error('a rule');
    });
    await expect(failing).rejects.toThrow('a rule');
    await database.transaction((query) => query(add, ['b']));
    expect(await names()).toEqual(['b']);
  });

  it('has the cause of its failure in all statements that were sent together', async () => {
    await database.write(add, ['a']);
    const failing = database.transaction(async (query) => {
      const results = await Promise.allSettled([query(add, ['a']), query(list), query(add, ['b'])]);
      for (const result of results)
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(UniqueViolation) });
      throw new Error('seen');
    });
    await expect(failing).rejects.toThrow('seen');
  });

  it('is tried five times if others are faster', async () => {
    const work = vi.fn(() => Promise.reject(new LostRace()));
    await expect(database.transaction(work)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(work).toHaveBeenCalledTimes(5);
    let attempts = 0;
    const lucky = database.transaction(async (query) => {
      await query(add, [`attempt ${++attempts}`]);
      if (attempts < 5) throw new LostRace();
    });
    await lucky;
    expect(await names()).toEqual(['attempt 5']);
  });

  it('waits for those with the same key, even if they fail, and only a few may wait', async () => {
    const gate = Promise.withResolvers<void>();
    const first = hold(gate.promise, 'key');
    await first.begun;
    const second = addInTurn('second');
    const third = addInTurn('third');
    await expect(addInTurn('fourth')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await names()).toEqual([]);
    gate.reject(new Error('a rule'));
    await expect(first.ended).rejects.toThrow('a rule');
    await Promise.all([second, third]);
    expect(await names()).toEqual(['second', 'third']);
    await Promise.all([addInTurn('fifth'), addInTurn('sixth')]);
  });

  it('does not wait for a connection if too many others do', async () => {
    const gate = Promise.withResolvers<void>();
    const first = hold(gate.promise);
    await first.begun;
    const others = ['a', 'b', 'c'].map((name) => database.transaction((query) => query(add, [name])));
    await expect(others[2]).rejects.toMatchObject({ kind: 'unavailable' });
    gate.resolve();
    await Promise.all([first.ended, others[0], others[1]]);
    expect(await names()).toEqual(['a', 'b']);
  });

  it('is committed before the connections are closed, even if it waits for one', async () => {
    const other = new PostgresDatabase({
      url: created.url,
      poolSize: 2,
      timeoutMs: 60_000,
      writesWaitingMax: 2,
    });
    const gate = Promise.withResolvers<void>();
    const writing = other.transaction(async (query) => {
      await gate.promise;
      await query(add, ['a']);
    });
    const waiting = other.transaction((query) => query(add, ['b']));
    const closing = other.close();
    gate.resolve();
    await Promise.all([writing, waiting, closing]);
    expect(await names()).toEqual(['a', 'b']);
  });
});
