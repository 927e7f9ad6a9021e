import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UniqueViolation, unlessTaken } from '../database.ts';
import type { Statement } from '../statement.ts';
import type { SqliteDatabase } from './database.ts';
import { connect, openSqlite } from './open.ts';

/** Not made with `statement`, which is for those of the stores. */
function named<Row>(name: string, sqlite: string, decode?: (values: object) => Row): Statement<Row> {
  return { name, text: { sqlite, postgres: '' }, decode };
}

const add = named('add', 'INSERT INTO names VALUES (?1, ?2)');
const list = named<{ readonly name: string }>('list', 'SELECT name FROM names ORDER BY name');
const broken = named('broken', 'SELECT name FROM nowhere');
const decoded = named('decoded', 'SELECT ?1 AS value', (row) => ({ ...row, isDecoded: true }));

const limits = { timeoutMs: 60_000, writesWaitingMax: 10 };
let folder: string;
let file: string;
let database: SqliteDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'presetd-database-'));
  file = join(folder, 'a.db');
  const connection = await connect({ file, ...limits });
  connection.exec('CREATE TABLE schema_migrations (number); CREATE TABLE names (name PRIMARY KEY, age)');
  connection.close();
  database = await openSqlite({ file, ...limits });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const names = async (query = database.query) => (await query(list)).map(({ name }) => name);

it('a transaction sees its own writes, and others see them once they are committed', async () => {
  await database.transaction(async (query) => {
    await query(add, ['a', 1]);
    expect(await names(query)).toEqual(['a']);
    expect(await names()).toEqual([]);
  });
  expect(await names()).toEqual(['a']);
});

it('a transaction that rejects leaves nothing behind', async () => {
  const failing = database.transaction(async (query) => {
    await query(add, ['a', 1]);
    throw new Error('a rule');
  });
  await expect(failing).rejects.toThrow('a rule');
  expect(await names()).toEqual([]);
});

it('while a transaction writes many rows, others read what is committed, and what fails is undone', async () => {
  const rows = Array.from({ length: 350 }, (_, index) => [`name ${index}`, index]);
  const read: number[] = [];
  let isWriting = true;
  const written = database
    .transaction((query) => query.each(add, rows))
    .finally(() => {
      isWriting = false;
    });
  while (isWriting) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isWriting) read.push((await names()).length);
  }
  await written;
  expect(new Set(read)).toEqual(new Set([0]));
  expect(read.length).toBeGreaterThan(1);
  const failing = database.transaction((query) =>
    query.each(add, [...rows.map(([, n]) => [n ?? 0, 0]), ['name 1', 1]]),
  );
  await expect(failing).rejects.toBeInstanceOf(UniqueViolation);
  expect(await names()).toHaveLength(350);
});

it('writes that arrive between the steps of another are neither lost nor mixed with it', async () => {
  const rows = Array.from({ length: 550 }, (_, index) => [`step ${index}`, index]);
  const written: Promise<unknown>[] = [database.transaction((query) => query.each(add, rows))];
  for (let index = 0; index < 4; index += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    written.push(database.write(add, [`other ${index}`, index]));
    const failing = database.transaction(async (query) => {
      await query(add, [`lost ${index}`, index]);
      throw new Error('undone');
    });
    written.push(expect(failing).rejects.toThrow('undone'));
  }
  await Promise.all(written);
  const stored = await names();
  expect(stored).toHaveLength(550 + 4);
  expect(stored.filter((name) => name.startsWith('lost'))).toEqual([]);
});

it('a row that exists is a unique violation, which a write may explain', async () => {
  await database.write(add, ['a', 1]);
  await expect(database.write(add, ['a', 2])).rejects.toBeInstanceOf(UniqueViolation);
  const explained = unlessTaken(database.write(add, ['a', 2]), () => new Error('taken'));
  await expect(explained).rejects.toThrow('taken');
  await expect(unlessTaken(database.query(broken), () => new Error('taken'))).rejects.toThrow('nowhere');
});

it('values are passed as SQLite stores them, and rows are decoded', async () => {
  const read = async (value: boolean | object | null | string) => (await database.query(decoded, [value]))[0];
  expect(await read(true)).toEqual({ value: 1, isDecoded: true });
  expect(await read(false)).toEqual({ value: 0, isDecoded: true });
  expect(await read(null)).toEqual({ value: null, isDecoded: true });
  expect(await read(['a'])).toEqual({ value: '["a"]', isDecoded: true });
});

it('only the connection of transactions writes', async () => {
  await database.transaction(async () => {
    await expect(database.query(add, ['a', 1])).rejects.toThrow('read-only');
  });
  expect(await names()).toEqual([]);
});

it('a database whose file was moved does not respond', async () => {
  await database.ping();
  renameSync(file, `${file}.moved`);
  await expect(database.ping()).rejects.toMatchObject({ kind: 'unavailable' });
  renameSync(`${file}.moved`, file);
  await database.ping();
});

it('a database whose disk is full does not respond', async () => {
  const full = Object.assign(new Error('full'), { errcode: 13 });
  await expect(database.transaction(() => Promise.reject(full))).rejects.toThrow('disk is full');
  await expect(database.ping()).rejects.toThrow('disk is full');
});

it('connections sync every commit, check foreign keys and write ahead', async () => {
  const connection = await connect({ file, ...limits });
  const settings = ['synchronous', 'foreign_keys', 'journal_mode'].map((name) =>
    Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {}),
  );
  expect(settings).toEqual([[2], [1], ['wal']]);
  connection.close();
});

it('closing finishes what has been started, and removes the write-ahead log', async () => {
  const writing = database.write(add, ['a', 1]);
  await database.close();
  await writing;
  expect(readdirSync(folder)).toEqual(['a.db']);
  database = await openSqlite({ file, ...limits });
  expect(await names()).toEqual(['a']);
});
