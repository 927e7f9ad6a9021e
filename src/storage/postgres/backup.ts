import type { PoolClient } from 'pg';
import { PresetdError } from '../../core/errors.ts';
import { type BackupTable, type CopyProgress, quoted, type Row } from '../backup-file.ts';
import { readMigrations } from '../migrate.ts';
import { type PostgresOptions, withOwnConnection } from './database.ts';

/** Rows fetched per round trip. A version may be a megabyte, so a batch stays below 100 MB. */
const batchRows = 100;

/**
 * Reads all rows from one snapshot while others keep writing, and passes them to `store` one by
 * one. Uses its own connection without statement timeouts, and closes it at the end.
 */
export function backUpPostgres(
  options: PostgresOptions,
  tables: readonly BackupTable[],
  store: (table: BackupTable, row: Row) => void,
  progress: CopyProgress,
): Promise<void> {
  return withOwnConnection(options, (database) =>
    database.session(async (client) => {
      await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      // Sessions disable sequential scans, but here whole tables are read.
      await client.query('SET LOCAL enable_seqscan = on');
      await assertKnownSchema(client);
      const total = await countRows(client, tables);
      let done = 0;
      for (const table of tables)
        for await (const rows of readRows(client, table)) {
          for (const row of rows) store(table, row);
          done += rows.length;
          progress(done, total);
        }
    }),
  );
}

/** Throws `conflict` for a newer schema: whatever it added would be missing from the backup. */
async function assertKnownSchema(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
  const known = new Set(readMigrations('postgres').map(({ name }) => name));
  const unknown = rows.find(({ name }) => !known.has(name));
  if (unknown === undefined) return;
  throw new PresetdError(
    'conflict',
    `A newer presetd migrated this database (migration ${unknown.name}). Back it up with that version.`,
  );
}

async function countRows(client: PoolClient, tables: readonly BackupTable[]): Promise<number> {
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM ${name})`).join(' + ');
  const { rows } = await client.query<{ total: number }>(`SELECT ${counts} AS total`);
  return rows[0]?.total ?? 0;
}

/** Streams a table through a cursor, so that it need not fit into memory. */
async function* readRows(client: PoolClient, { name, columns }: BackupTable): AsyncGenerator<readonly Row[]> {
  await client.query(`DECLARE backup NO SCROLL CURSOR FOR SELECT ${quoted(columns)} FROM ${name}`);
  for (;;) {
    const { rows } = await client.query<Record<string, unknown>>(`FETCH ${batchRows} FROM backup`);
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('CLOSE backup');
}
