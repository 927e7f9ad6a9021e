import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { inject } from 'vitest';
import { migrateStorage } from '../../src/storage/open.ts';
import type { Engine } from './engines.ts';
import { storageOptions } from './storage-options.ts';
import { createTemporaryFolder } from './temporary-folder.ts';
import { releaseAfterTest } from './test-scope.ts';

/** A database that belongs to one test. */
export interface TestDatabase {
  readonly engine: Engine;
  /** For DATABASE_URL. */
  readonly url: string;
  /** Runs SQL directly, bypassing presetd. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Runs several statements in one transaction. */
  transaction(...statements: readonly string[]): Promise<void>;
  /** Deletes the database, even while it is in use. */
  drop(): Promise<void>;
}

/** Creates an empty database that is dropped when the test ends. */
export async function createDatabase(engine: Engine): Promise<TestDatabase> {
  const database = await (engine === 'sqlite' ? createSqlite() : createPostgres());
  return { ...database, drop: releaseAfterTest(() => database.drop()) };
}

/**
 * Creates a database with the newest schema and no rows: a copy, because all migrations together
 * take longer than most tests.
 */
export async function createMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  const database = await (engine === 'sqlite'
    ? createSqlite(await migratedFile())
    : createPostgresIn(inject('postgresUrl'), await migratedName()));
  return { ...database, drop: releaseAfterTest(() => database.drop()) };
}

/** The content of a migrated SQLite file. Built once per worker. */
const migratedFile = once(async () => {
  const database = await createSqlite();
  await migrateStorage(storageOptions(database));
  const content = readFileSync(database.url.slice('sqlite:'.length));
  await database.drop();
  return content;
});

/** The name of a migrated PostgreSQL database, which remains until the server stops. */
const migratedName = once(async () => {
  const { url } = await createPostgres();
  await migrateStorage(storageOptions({ url }));
  return new URL(url).pathname.slice(1);
});

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

async function createSqlite(content?: Uint8Array): Promise<TestDatabase> {
  const folder = createTemporaryFolder('presetd-test-');
  const file = join(folder, 'presetd.db');
  if (content !== undefined) writeFileSync(file, content, { mode: 0o600 });
  return sqliteAt(file, () => rmSync(folder, { recursive: true, force: true }));
}

/** Access to a SQLite file that exists or will be created. */
export function sqliteAt(file: string, remove = () => {}): TestDatabase {
  const withDatabase = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file, { timeout: 60_000 });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    engine: 'sqlite',
    url: `sqlite:${file}`,
    sql: async (text) =>
      withDatabase((database) =>
        database
          .prepare(text)
          .all()
          .map((row) => ({ ...row })),
      ),
    transaction: async (...statements) =>
      withDatabase((database) => database.exec(['BEGIN', ...statements, 'COMMIT'].join(';'))),
    async drop() {
      remove();
    },
  };
}

function createPostgres(): Promise<TestDatabase> {
  return createPostgresIn(inject('postgresUrl'));
}

/**
 * Creates a database on this server, empty or as a copy of another. Copying files takes a fifth of
 * the CPU time of PostgreSQL's default, which writes every page to the log.
 */
export async function createPostgresIn(serverUrl: string, template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = createPool(url.href);
  return {
    engine: 'postgres',
    url: url.href,
    sql: async (text) => (await pool.query<Record<string, unknown>>(text)).rows,
    async transaction(...statements) {
      await pool.query(['BEGIN', ...statements, 'COMMIT'].join(';'));
    },
    async drop() {
      await pool.end();
      await query(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Connections are reused: a new one takes more CPU time than most statements of tests. */
function createPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // Tests terminate connections and servers. The next statement gets a new connection.
  pool.on('error', () => undefined);
  return pool;
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** The description that commands print of a database: never with its password. */
export function describeTestDatabase(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return protocol === 'sqlite:' ? `SQLite, ${pathname}` : `PostgreSQL, ${host}${pathname}`;
}
