import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it, vi } from 'vitest';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { WriteQueue, type WriteQueueOptions } from './write-queue.ts';

afterEach(() => void vi.useRealTimers());

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

/** A queue over a database of its own, and the names that are stored in it. */
function createQueue(options: Partial<WriteQueueOptions> = {}, file = ':memory:') {
  const database = new DatabaseSync(file, { timeout: 1 });
  database.exec(
    'PRAGMA foreign_keys = ON; CREATE TABLE written (name TEXT PRIMARY KEY); ' +
      'CREATE TABLE child (name REFERENCES written DEFERRABLE INITIALLY DEFERRED)',
  );
  const release = vi.fn();
  const acquireWriteLock = vi.fn(async () => release);
  const queue = new WriteQueue(database, {
    timeoutMs: 60_000,
    writesWaitingMax: 10,
    acquireWriteLock,
    ...options,
  });
  const insert = (name: string, table = 'written') =>
    database.exec(`INSERT INTO ${table} VALUES ('${name}')`);
  const names = () =>
    database
      .prepare('SELECT name FROM written ORDER BY name')
      .all()
      .map(({ name }) => name);
  return { database, queue, insert, names, release };
}

it('a write that fails undoes only itself', async () => {
  const { database, queue, insert, names } = createQueue();
  const failed = queue.write(async () => {
    insert('a');
    throw new Error('a rule');
  });
  const stored = queue.write(async () => insert('b'));
  await expect(failed).rejects.toThrow('a rule');
  await stored;
  expect(names()).toEqual(['b']);
  database.close();
});

it('a write is acknowledged after the commit, and returns its value', async () => {
  const { database, queue, insert, release } = createQueue();
  const isOpen = queue
    .write(async () => {
      insert('a');
      expect(release).not.toHaveBeenCalled();
      return 7;
    })
    .then((value) => [value, database.isTransaction]);
  expect(await isOpen).toEqual([7, false]);
  await queue.drain();
  expect(release).toHaveBeenCalledTimes(1);
  database.close();
});

it('all writes of a transaction that cannot be committed fail, and the next one succeeds', async () => {
  const { database, queue, insert, names, release } = createQueue();
  const orphan = queue.write(async () => insert('none', 'child'));
  const other = queue.write(async () => insert('a'));
  await expect(orphan).rejects.toThrow('FOREIGN KEY');
  await expect(other).rejects.toThrow('FOREIGN KEY');
  await queue.drain();
  // Otherwise it would lock out other processes until the next write.
  expect(database.isTransaction).toBe(false);
  await queue.write(async () => insert('b'));
  await expect.poll(() => release.mock.calls.length).toBe(2);
  expect(names()).toEqual(['b']);
  database.close();
});

it('all writes of a transaction that an error has undone fail', async () => {
  const { database, queue, insert, names } = createQueue();
  const first = queue.write(async () => insert('a'));
  const undone = queue.write(async () => {
    database.exec('ROLLBACK');
    throw new Error('disk I/O');
  });
  await expect(first).rejects.toThrow('disk I/O');
  await expect(undone).rejects.toThrow('disk I/O');
  await queue.write(async () => insert('b'));
  expect(names()).toEqual(['b']);
  database.close();
});

it('a rollback that fails is tried again before the next write', async () => {
  const { database, queue, insert, names } = createQueue();
  const exec = database.exec.bind(database);
  let failures = 1;
  database.exec = (sql) => {
    if (sql === 'ROLLBACK' && failures-- > 0) throw new Error('no rollback');
    exec(sql);
  };
  await expect(queue.write(async () => insert('none', 'child'))).rejects.toThrow('FOREIGN KEY');
  await queue.write(async () => insert('b'));
  expect(names()).toEqual(['b']);
  database.close();
});

it('a write waits for the lock of another process', async () => {
  const folder = createTemporaryFolder('presetd-queue-');
  const file = join(folder, 'a.db');
  const { database, queue, insert, names } = createQueue({ timeoutMs: 60_000 }, file);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const waiting = queue.write(async () => insert('a'));
  setTimeout(() => other.exec('COMMIT'), 20);
  await waiting;
  expect(names()).toEqual(['a']);
  other.close();
  database.close();
  rmSync(folder, { recursive: true });
});

it('a write that waits too long for the lock of another process fails', async () => {
  const folder = createTemporaryFolder('presetd-queue-');
  const file = join(folder, 'a.db');
  const { database, queue, insert, release } = createQueue({ timeoutMs: 100 }, file);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(queue.write(async () => insert('a'))).rejects.toMatchObject({ kind: 'unavailable' });
  expect(release).toHaveBeenCalledTimes(1);
  other.close();
  database.close();
  rmSync(folder, { recursive: true });
});

it('as many writes may wait as the limit says', async () => {
  const { database, queue, insert, names } = createQueue({ writesWaitingMax: 2 });
  const writes = ['a', 'b', 'c'].map((name) => queue.write(async () => insert(name)));
  await expect(writes[2]).rejects.toMatchObject({ kind: 'unavailable' });
  await queue.drain();
  expect(names()).toEqual(['a', 'b']);
  database.close();
});

it('draining waits for all transactions, in which writes keep their order', async () => {
  const { database, queue } = createQueue();
  const order: string[] = [];
  void queue.write(async () => {
    order.push('first');
    void queue.write(async () => order.push('third'));
    // Longer than the time budget of a transaction.
    for (const end = performance.now() + 60; performance.now() < end; );
  });
  void queue.write(async () => order.push('second'));
  await queue.drain();
  expect(order).toEqual(['first', 'second', 'third']);
  database.close();
});

it('a full disk is reported for five seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { database, queue } = createQueue();
  expect(() => queue.assertDiskHasRoom()).not.toThrow();
  const full = Object.assign(new Error('full'), { errcode: 13 });
  await expect(queue.write(() => Promise.reject(full))).rejects.toMatchObject({ kind: 'unavailable' });
  vi.advanceTimersByTime(4_999);
  expect(() => queue.assertDiskHasRoom()).toThrow();
  vi.advanceTimersByTime(1);
  expect(() => queue.assertDiskHasRoom()).not.toThrow();
  database.close();
});
