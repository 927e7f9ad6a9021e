import type { PoolClient } from 'pg';
import { PresetdError } from '../../core/errors.ts';
import { type CopyProgress, quoted, type Row, type StoredTable } from '../backup-file.ts';
import { type PostgresOptions, withOwnConnection } from './database.ts';
import { migratePostgres } from './migrate.ts';

/** Bounds of one INSERT. */
const batchRowsMax = 500;
/** A single row may exceed this. */
const batchCharactersMax = 4_000_000;

/**
 * Restores all rows of a backup into a database without presetd data, in one transaction: all of
 * them or none. The schema is created before that and stays if the restore fails.
 */
export async function restorePostgres(
  options: PostgresOptions,
  tables: readonly StoredTable[],
  progress: CopyProgress,
): Promise<void> {
  await assertEmpty(options);
  await migratePostgres(options);
  const restore = async (client: PoolClient) => {
    // A server that starts now waits here, and then finds this organization instead of creating
    // one.
    await client.query('LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE');
    await assertNoOrganization(client);
    const total = tables.reduce((sum, { rowCount }) => sum + rowCount, 0);
    let done = 0;
    const targets = (await tablesInInsertOrder(client)).filter(({ name }) =>
      tables.some((table) => table.name === name),
    );
    // The rows already contain what the triggers would count.
    for (const { name } of targets) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    for (const target of targets) {
      const { name } = target;
      for (const rows of batchesOf(tables.find((table) => table.name === name)?.rows() ?? [])) {
        await insert(client, target, rows);
        done += rows.length;
        progress(done, total);
      }
      await advanceIdentity(client, target);
    }
    // A table with pending constraint checks cannot be altered.
    await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    for (const { name } of targets) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    if (done !== total) throw new Error(`${total - done} rows of the backup belong to unknown tables`);
  };
  await withOwnConnection(options, (database) => database.session(restore));
}

/** Checks before migrating: the target may be the database of an older version. */
function assertEmpty(options: PostgresOptions): Promise<void> {
  return withOwnConnection(options, (database) =>
    database.session(async (client) => {
      const { rows } = await client.query(`SELECT to_regclass('organizations') AS found`);
      if (rows[0]?.found !== null) await assertNoOrganization(client);
    }),
  );
}

/** Throws `conflict` when the database is already in use. */
async function assertNoOrganization(client: PoolClient): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM organizations LIMIT 1');
  if (rowCount === 0) return;
  throw new PresetdError(
    'conflict',
    'The database already contains an organization. Set DATABASE_URL to an empty database; nothing was changed.',
  );
}

interface TargetTable {
  readonly name: string;
  /** The type of each column, as PostgreSQL spells it. */
  readonly types: Readonly<Record<string, string>>;
  /** The column whose values PostgreSQL generates; null if there is none. */
  readonly identity: string | null;
}

/**
 * The tables of the schema, ordered so that referenced tables come first. Deferrable references are
 * checked at the end of the transaction and do not matter.
 */
async function tablesInInsertOrder(client: PoolClient): Promise<readonly TargetTable[]> {
  const { rows } = await client.query<TargetTable>(
    `WITH RECURSIVE ours AS (
       SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
     ), needs AS (
       SELECT DISTINCT conrelid AS oid, confrelid AS needed FROM pg_constraint
       WHERE contype = 'f' AND NOT condeferrable AND conrelid <> confrelid
     ), places (oid, place) AS (
       SELECT oid, 0 FROM ours
       UNION
       SELECT needs.oid, place + 1 FROM places JOIN needs ON needs.needed = places.oid
     )
     SELECT oid::regclass::text AS name, (
       SELECT json_object_agg(attname, format_type(atttypid, atttypmod)) FROM pg_attribute
       WHERE attrelid = places.oid AND attnum > 0 AND NOT attisdropped
     )::text AS types, (
       SELECT attname::text FROM pg_attribute WHERE attrelid = places.oid AND attidentity <> ''
     ) AS identity
     FROM places GROUP BY oid ORDER BY max(place), name`,
  );
  return rows.map(({ types, ...table }) => ({ ...table, types: JSON.parse(String(types)) }));
}

/** Rows that are added later must not get the numbers of restored ones. */
async function advanceIdentity(client: PoolClient, { name, identity }: TargetTable): Promise<void> {
  if (identity === null) return;
  await client.query(`SELECT setval(pg_get_serial_sequence($1, $2), max(${identity})) FROM ${name}`, [
    name,
    identity,
  ]);
}

/** Inserts a batch of rows with one array per column. */
async function insert(client: PoolClient, { name, types }: TargetTable, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const unknown = columns.find((column) => !Object.hasOwn(types, column));
  if (unknown !== undefined) throw new Error(`the backup has an unknown column ${name}.${unknown}`);
  const arrays = columns.map((column, index) => `$${index + 1}::${types[column]}[]`).join(', ');
  await client.query(
    `INSERT INTO ${name} (${quoted(columns)}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`,
    columns.map((column) => rows.map((row) => row[column])),
  );
}

/** Groups rows until a batch reaches either bound. */
function* batchesOf(rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of Object.values(row)) if (typeof value === 'string') characters += value.length;
    if (batch.length < batchRowsMax && characters < batchCharactersMax) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
