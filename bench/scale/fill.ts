import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { loadConfig } from '../../src/config.ts';
import { bootstrap } from '../../src/core/bootstrap.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Storage } from '../../src/core/storage.ts';
import { migrateStorage, openStorage, type StorageOptions } from '../../src/storage/open.ts';
import { apiKey, managementKey } from '../database.ts';
import {
  memberRows,
  presetRows,
  type Rows,
  type Site,
  type Size,
  type TableName,
  tables,
} from './population.ts';

/** Presets, or people, that are stored in one transaction. */
const chunkSize = 10_000;
const noteEvery = 100_000;

/**
 * Fills a database up to its size in the state in which a server would have left it: triggers count, words and events are
 * written. It goes around the server because that takes an hour. What is there already, from a run that was stopped, is not
 * made again.
 */
export async function fill(
  url: string,
  size: Size,
  note: (text: string) => void,
  interruption: AbortSignal,
): Promise<void> {
  const options = loadConfig({ DATABASE_URL: url }).storage;
  await migrateStorage(options);
  const storage = await openStorage(options);
  try {
    const owner = { email: 'owner@example.com', firstName: 'Preset', lastName: 'Owner' };
    await bootstrap(storage.organizations, systemClock, { owner, apiKey, managementKey });
    await fillFrom(storage, options, size, note, interruption);
  } finally {
    await storage.close();
  }
}

async function fillFrom(
  { organizations, presets, members }: Storage,
  { database }: StorageOptions,
  size: Size,
  note: (text: string) => void,
  interruption: AbortSignal,
): Promise<void> {
  const first = await organizations.first();
  if (first === undefined) throw new Error('a database that was just bootstrapped has no organization');
  const { organization, admin } = first;
  const workspace = { organizationId: organization.id, workspaceId: organization.defaultWorkspaceId };
  const site: Site = { workspace, author: { userId: admin.id, keyLabel: 'benchmark' } };
  const one = { offset: 0, limit: 1 };
  const knownMembers = await members.list(organization.id, one);
  const knownPresets = await presets.list(workspace, { statuses: ['active'], words: undefined }, one);

  await using writer =
    database.engine === 'sqlite' ? sqliteWriter(database.file) : await postgresWriter(database.url);
  const write = async (what: string, from: number, all: number, rows: (to: number) => Rows) => {
    interruption.throwIfAborted();
    const to = Math.min(from + chunkSize, all);
    await writer.write(rows(to));
    if (Math.floor(to / noteEvery) > Math.floor(from / noteEvery)) note(`${to} ${what}`);
  };
  for (let from = knownMembers?.totalCount ?? 0; from < size.members; from += chunkSize)
    await write('members', from, size.members, (to) => memberRows(from, to, site));
  interruption.throwIfAborted();
  note('indexing members');
  await members.index();
  for (let from = knownPresets?.totalCount ?? 0; from < size.presets; from += chunkSize)
    await write('presets', from, size.presets, (to) => presetRows(from, to, size, site));
  note('settling');
  await writer.settle();
}

interface Writer extends AsyncDisposable {
  /** All of them or none. */
  write(rows: Rows): Promise<void>;
  /** What a server that runs for a while does by itself: statistics, and a log that is written back. */
  settle(): Promise<void>;
}

/** References are right as they are made, and not checked row by row. */
function sqliteWriter(file: string): Writer {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -262144');
  const inserts = eachTable((table) => {
    const columns = Object.keys(tables[table]);
    const places = columns.map(() => '?').join(', ');
    return database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  });
  return {
    async write(rows) {
      database.exec('BEGIN IMMEDIATE');
      for (const [table, insert] of inserts) for (const row of rows[table]) insert.run(...row);
      database.exec('COMMIT');
    },
    async settle() {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

async function postgresWriter(url: string): Promise<Writer> {
  const client = new pg.Client({ connectionString: url, options: '-c synchronous_commit=off' });
  await client.connect();
  // All that is left are ours, which count; the others check references.
  const checks = (isOn: boolean) =>
    eachTable((table) => `ALTER TABLE ${table} ${isOn ? 'ENABLE' : 'DISABLE'} TRIGGER ALL;`)
      .map(([table, sql]) => `${sql} ALTER TABLE ${table} ENABLE TRIGGER USER;`)
      .join('\n');
  await client.query(checks(false));
  const inserts = eachTable((table) => {
    const columns = Object.entries(tables[table]);
    const names = columns.map(([name]) => name).join(', ');
    // What is JSON comes as text, since an array of it would be JSON itself.
    const lists = columns.map(([, type], index) => `$${index + 1}::${type === 'json' ? 'text' : type}[]`);
    const values = columns.map(([name, type]) => (type === 'json' ? `${name}::json` : name));
    return `INSERT INTO ${table} (${names}) SELECT ${values.join(', ')} FROM unnest(${lists.join(', ')}) AS row (${names})`;
  });
  return {
    async write(rows) {
      await client.query('BEGIN');
      for (const [table, insert] of inserts) {
        if (rows[table].length === 0) continue;
        const columns = Object.keys(tables[table]).map((_, index) => rows[table].map((row) => row[index]));
        await client.query(insert, columns);
      }
      await client.query('COMMIT');
    },
    async settle() {
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
    },
    async [Symbol.asyncDispose]() {
      await client.query(checks(true));
      await client.end();
    },
  };
}

function eachTable<T>(make: (table: TableName) => T): (readonly [TableName, T])[] {
  return (Object.keys(tables) as TableName[]).map((table) => [table, make(table)] as const);
}
