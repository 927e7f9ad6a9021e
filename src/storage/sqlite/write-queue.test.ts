import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { WriteQueue } from './write-queue.ts';

it('slow writes each get their own transaction, and none is lost', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE written (name TEXT)');
  const queue = new WriteQueue(database, { timeoutMs: 60_000, writesWaitingMax: 10 });
  const insert = database.prepare('INSERT INTO written VALUES (?)');
  const order: string[] = [];
  const writeSlowly = async (name: string) => {
    await queue.write(async () => {
      order.push(`${name} starts`);
      insert.run(name);
      // Longer than the time budget of a transaction.
      for (const end = performance.now() + 60; performance.now() < end; );
    });
    order.push(`${name} is acknowledged`);
  };
  await Promise.all(['one', 'two', 'three'].map(writeSlowly));
  expect(order).toEqual(
    ['one', 'two', 'three'].flatMap((name) => [`${name} starts`, `${name} is acknowledged`]),
  );
  expect(
    database
      .prepare('SELECT name FROM written')
      .all()
      .map((row) => row.name),
  ).toEqual(['one', 'two', 'three']);
  await queue.drain();
  database.close();
});

it('writes are not stored while the database file is moved', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE written (name TEXT)');
  let isMoved = true;
  const queue = new WriteQueue(database, {
    timeoutMs: 60_000,
    writesWaitingMax: 10,
    assertFileNotMoved() {
      if (isMoved) throw new Error('moved');
    },
  });
  const insert = database.prepare('INSERT INTO written VALUES (?)');
  await expect(queue.write(async () => insert.run('lost'))).rejects.toThrow('moved');
  isMoved = false;
  await queue.write(async () => insert.run('stored'));
  expect(database.prepare('SELECT name FROM written').all()).toEqual([{ name: 'stored' }]);
  database.close();
});
