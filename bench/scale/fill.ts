import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { loadConfig } from '../../src/config/server-config.ts';
import { systemClock } from '../../src/core/clock.ts';
import { bootstrap } from '../../src/core/organization/bootstrap.ts';
import type { Storage } from '../../src/core/storage.ts';
import { migrateStorage, openStorage, type StorageOptions } from '../../src/storage/open.ts';
import { apiKey, managementKey } from '../database.ts';
import {
  type FillTarget,
  memberRows,
  presetRows,
  type Rows,
  type Size,
  type TableName,
  tables,
} from './population.ts';

/** Presets or members per transaction. */
const chunkSize = 10_000;
/** Log progress after this many presets or members. */
const logEvery = 100_000;

/**
 * Fills a database up to the given size, with the rows that a server would have written: triggers
 * count, words and events are stored. Writing directly takes minutes where going through a server
 * would take an hour. Continues where an interrupted run stopped.
 */
export async function fill(
  url: string,
  size: Size,
  log: (text: string) => void,
  interruption: AbortSignal,
): Promise<void> {
  const options = loadConfig({ DATABASE_URL: url }).storage;
  await migrateStorage(options);
  const storage = await openStorage(options);
  try {
    const owner = { email: 'owner@example.com', firstName: 'Preset', lastName: 'Owner' };
    await bootstrap(storage, systemClock, { owner, apiKey, managementKey });
    await fillMissing(storage, options, size, log, interruption);
  } finally {
    await storage.close();
  }
}

async function fillMissing(
  { organizations, presets, members }: Storage,
  { database }: StorageOptions,
  size: Size,
  log: (text: string) => void,
  interruption: AbortSignal,
): Promise<void> {
  const first = await organizations.first();
  if (first === undefined) throw new Error('a newly bootstrapped database has no organization');
  const { organization, admin } = first;
  const workspace = { organizationId: organization.id, workspaceId: organization.defaultWorkspaceId };
  const target: FillTarget = { workspace, author: { userId: admin.id, keyLabel: 'benchmark' } };
  const one = { offset: 0, limit: 1 };
  const knownMembers = await members.list(organization.id, one);
  const knownPresets = await presets.list(workspace, { statuses: ['active'], words: undefined }, one);

  await using writer =
    database.engine === 'sqlite' ? sqliteWriter(database.file) : await postgresWriter(database.url);
  const write = async (noun: string, from: number, all: number, rows: (to: number) => Rows) => {
    interruption.throwIfAborted();
    const to = Math.min(from + chunkSize, all);
    await writer.write(rows(to));
    if (Math.floor(to / logEvery) > Math.floor(from / logEvery)) log(`${to} ${noun}`);
  };
  for (let from = knownMembers?.totalCount ?? 0; from < size.members; from += chunkSize)
    await write('members', from, size.members, (to) => memberRows(from, to, target));
  interruption.throwIfAborted();
  log('indexing members');
  await members.index();
  for (let from = knownPresets?.totalCount ?? 0; from < size.presets; from += chunkSize)
    await write('presets', from, size.presets, (to) => presetRows(from, to, size, target));
  interruption.throwIfAborted();
  log('indexing presets');
  await presets.index();
  log('optimizing');
  await writer.optimize();
}

/** Bulk inserts into one database. */
interface Writer extends AsyncDisposable {
  /** Inserts all rows in one transaction. */
  write(rows: Rows): Promise<void>;
  /** Gathers statistics and checkpoints logs, as happens by itself on a running server. */
  optimize(): Promise<void>;
}

/** Generated references are correct, so checking them row by row is turned off. */
function sqliteWriter(file: string): Writer {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -262144');
  const inserts = eachTable((table) => {
    const columns = Object.keys(tables[table]);
    const placeholders = columns.map(() => '?').join(', ');
    return database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders})`);
  });
  return {
    async write(rows) {
      database.exec('BEGIN IMMEDIATE');
      for (const [table, insert] of inserts) for (const row of rows[table]) insert.run(...row);
      database.exec('COMMIT');
    },
    async optimize() {
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
  // Disables the internal triggers, which check references, but keeps our own, which count.
  const referenceChecks = (isOn: boolean) =>
    eachTable((table) => `ALTER TABLE ${table} ${isOn ? 'ENABLE' : 'DISABLE'} TRIGGER ALL;`)
      .map(([table, sql]) => `${sql} ALTER TABLE ${table} ENABLE TRIGGER USER;`)
      .join('\n');
  await client.query(referenceChecks(false));
  const inserts = eachTable((table) => {
    const columns = Object.entries(tables[table]);
    const names = columns.map(([name]) => name).join(', ');
    // Pass JSON as text: the driver would encode an array of JSON as a JSON array.
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
    async optimize() {
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
    },
    async [Symbol.asyncDispose]() {
      await client.query(referenceChecks(true));
      await client.end();
    },
  };
}

function eachTable<T>(make: (table: TableName) => T): (readonly [TableName, T])[] {
  return (Object.keys(tables) as TableName[]).map((table) => [table, make(table)] as const);
}
