import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { WriteQueue } from './write-queue.ts';

it('lets others in between writes that take long, and forgets none of those who wait', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE written (name TEXT)');
  const queue = new WriteQueue(database, { timeoutMs: 1_000, writesWaitingMax: 10 });
  const insert = database.prepare('INSERT INTO written VALUES (?)');
  const order: string[] = [];
  const slowly = async (name: string) => {
    await queue.write(() => {
      order.push(`${name} begins`);
      insert.run(name);
      // Longer than one transaction may hold up the process.
      for (const end = performance.now() + 60; performance.now() < end; );
    });
    order.push(`${name} is answered`);
  };
  await Promise.all(['one', 'two', 'three'].map(slowly));
  expect(order).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} is answered`]));
  expect(
    database
      .prepare('SELECT name FROM written')
      .all()
      .map((row) => row.name),
  ).toEqual(['one', 'two', 'three']);
  await queue.drain();
  database.close();
});

it('stores nothing of what was written while the file is not in its place', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE written (name TEXT)');
  let isInPlace = false;
  const queue = new WriteQueue(database, {
    timeoutMs: 1_000,
    writesWaitingMax: 10,
    assertFileNotMoved() {
      if (!isInPlace) throw new Error('moved');
    },
  });
  const insert = database.prepare('INSERT INTO written VALUES (?)');
  await expect(queue.write(() => insert.run('lost'))).rejects.toThrow('moved');
  isInPlace = true;
  await queue.write(() => insert.run('kept'));
  expect(database.prepare('SELECT name FROM written').all()).toEqual([{ name: 'kept' }]);
  database.close();
});
