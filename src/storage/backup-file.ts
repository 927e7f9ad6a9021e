import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { PresetdError } from '../core/errors.ts';
import type { AppliedMigration } from './migrate.ts';
import { appliedMigrationsIn, migrateSqlite } from './sqlite/migrate.ts';

/** Reports progress in the unit that the engine counts: pages or rows. */
export type CopyProgress = (done: number, total: number) => void;

/** The contents of a backup, as reported to the operator. */
export interface BackupCounts {
  readonly presets: number;
  readonly versions: number;
}

export interface BackupOptions {
  /**
   * Whether to include single calls with their content and feedback, which are most of a busy
   * database. The sums of calls are always in a backup.
   */
  readonly includesCalls: boolean;
}

/** The tables that a backup leaves empty. Batches only matter while writes may be repeated. */
export function omittedTables({ includesCalls }: BackupOptions): readonly string[] {
  return includesCalls ? ['call_batches'] : ['call_batches', 'calls', 'call_contents', 'call_feedback'];
}

/** A table of the backup schema. Column names are the same on both engines. */
export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export type Row = Readonly<Record<string, unknown>>;

/** A table of an existing backup. `rows` streams, so a table need not fit into memory. */
export interface StoredTable extends BackupTable {
  readonly rowCount: number;
  rows(): Iterable<Row>;
}

/** A draft has no other user, so these only satisfy the type; nothing ever waits for the lock. */
const migrationLimits = { timeoutMs: 5_000, writesWaitingMax: 1 };

/**
 * Verifies a backup and counts its contents. A backup is a presetd database on SQLite, whichever
 * engine it came from: any SQLite tool can inspect it, and presetd can even serve it. Throws
 * `conflict` with a one-sentence reason when the file cannot be used.
 */
export function verifyBackup(file: string): BackupCounts {
  return withReadOnlyDatabase(file, (database) => {
    if (!isPresetdDatabase(database))
      throw unusableBackup(file, 'is a SQLite database, but not a presetd database');
    const [corruption] = database.prepare('PRAGMA integrity_check(1)').all();
    if (corruption?.integrity_check !== 'ok') throw corruptBackup(file, String(corruption?.integrity_check));
    const [orphan] = database.prepare('PRAGMA foreign_key_check').all();
    if (orphan !== undefined)
      throw unusableBackup(file, `is corrupt: ${orphan.table} refers to missing rows in ${orphan.parent}`);
    const count = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    return { presets: count('presets'), versions: count('preset_versions') };
  });
}

/**
 * Folds the write-ahead log into the file, so that a backup is one file that can be copied on its
 * own and read from a read-only disk.
 */
export function finalizeBackup(file: string): void {
  using database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = DELETE');
}

/**
 * Deletes all rows of these tables from a draft and returns their space. The smaller copy is made
 * next to the draft: SQLite would put it in the temporary directory, which may be too small. A
 * schema from before a table was added does not have it.
 */
export function emptyTables(file: string, names: readonly string[]): void {
  const packed = `${file}.packed`;
  try {
    if (!packWithout(names, file, packed)) return;
    renameSync(packed, file);
  } finally {
    rmSync(packed, { force: true });
  }
}

/** False if these tables are empty, so that there is nothing to pack. */
function packWithout(names: readonly string[], file: string, packed: string): boolean {
  using database = new DatabaseSync(file);
  // A draft that fails is discarded.
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  const present = tablesOf(database).filter(({ name }) => names.includes(name));
  const deleted = present.map(({ name }) => Number(database.prepare(`DELETE FROM ${name}`).run().changes));
  if (deleted.every((rows) => rows === 0)) return false;
  // SQLite accepts an empty file and keeps its permissions.
  closeSync(openSync(packed, 'wx', 0o600));
  database.prepare('VACUUM INTO ?').run(packed);
  return true;
}

/** Migrates a copy of a backup to the newest schema. */
export async function migrateBackup(file: string): Promise<void> {
  await migrateSqlite({ file, ...migrationLimits });
}

/**
 * Current sessions and pending sign-ins. They are not restored: somebody may have been signed
 * out since the backup for good reason.
 */
export const signInTables: readonly string[] = ['sessions', 'sign_in_links', 'device_requests'];

/** Ends all sessions in a copy of a backup that has the newest schema. */
export function endSessions(file: string): void {
  using database = new DatabaseSync(file);
  for (const table of signInTables) database.exec(`DELETE FROM ${table}`);
}

/** The migrations applied to a backup, in order. */
export function appliedMigrations(file: string): readonly AppliedMigration[] {
  return withReadOnlyDatabase(file, appliedMigrationsIn);
}

/**
 * Creates the newest schema in an empty file and lets `fill` insert the rows. Triggers and indexes
 * are dropped first and recreated last: the rows already contain what the triggers would count, and
 * building an index once is faster than updating it row by row.
 */
export async function fillBackup(
  file: string,
  fill: (tables: readonly BackupTable[], store: (table: BackupTable, row: Row) => void) => Promise<void>,
): Promise<void> {
  await migrateBackup(file);
  using database = new DatabaseSync(file);
  // A draft that fails is discarded, so it needs no journal and no syncing.
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN');
  const deferred = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'index') AND sql IS NOT NULL`,
    )
    .all();
  for (const { type, name } of deferred) database.exec(`DROP ${type} ${name}`);
  await fill(tablesOf(database), prepareRowInserts(database));
  for (const { sql } of deferred) database.exec(String(sql));
  database.exec('COMMIT');
}

/**
 * Opens a backup read-only for the duration of `work`. The tables must not be used after it
 * settles.
 */
export async function withBackupTables<T>(
  file: string,
  work: (tables: readonly StoredTable[]) => Promise<T>,
): Promise<T> {
  using database = new DatabaseSync(file, { readOnly: true });
  return await work(
    tablesOf(database).map((table) => ({
      ...table,
      rowCount: Number(database.prepare(`SELECT count(*) AS n FROM ${table.name}`).get()?.n),
      rows: () => database.prepare(`SELECT ${quoted(table.columns)} FROM ${table.name}`).iterate(),
    })),
  );
}

/** Every table except `schema_migrations`, which each database maintains itself. */
function tablesOf(database: DatabaseSync): readonly BackupTable[] {
  return database
    .prepare(
      `SELECT t.name, group_concat(c.name, ' ') AS columns FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name <> 'schema_migrations'
       GROUP BY t.name ORDER BY t.name`,
    )
    .all()
    .map(({ name, columns }) => ({ name: String(name), columns: String(columns).split(' ') }));
}

/** Returns an insert function that prepares one statement per table, on first use. */
function prepareRowInserts(database: DatabaseSync): (table: BackupTable, row: Row) => void {
  const prepared = new Map<BackupTable, ReturnType<DatabaseSync['prepare']>>();
  const prepare = (table: BackupTable) => {
    const { name, columns } = table;
    const statement = database.prepare(
      `INSERT INTO ${name} (${quoted(columns)}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    prepared.set(table, statement);
    return statement;
  };
  return (table, row) => {
    const statement = prepared.get(table) ?? prepare(table);
    statement.run(...table.columns.map((column) => toSqlite(row[column])));
  };
}

/** Quotes column names the way both engines accept. Some of ours are SQL keywords. */
export function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

/** node:sqlite cannot bind booleans. */
function toSqlite(value: unknown): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
}

function isPresetdDatabase(database: DatabaseSync): boolean {
  const found = database
    .prepare(`SELECT name FROM sqlite_schema WHERE name IN ('schema_migrations', 'preset_versions')`)
    .all();
  return found.length === 2;
}

/** SQLite's primary result codes: SQLITE_NOTADB and SQLITE_CORRUPT. */
const notADatabaseCode = 26;
const corruptCode = 11;

/** Opens a file read-only and translates SQLite's errors into sentences that name the file. */
function withReadOnlyDatabase<T>(file: string, work: (database: DatabaseSync) => T): T {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return work(database);
  } catch (error) {
    if (!(error instanceof Error) || !('errcode' in error)) throw error;
    const code = Number(error.errcode) & 0xff;
    if (code === notADatabaseCode) throw unusableBackup(file, 'is not a SQLite database');
    if (code === corruptCode) throw corruptBackup(file, error.message);
    throw unusableBackup(file, `cannot be read: ${error.message}`);
  }
}

/** SQLite's message may span several lines with `***` headings; errors are one line. */
function corruptBackup(file: string, reason: string): PresetdError {
  const detail = reason.replace(/\*\*\*.*?\*\*\*/g, '').replace(/\s+/g, ' ');
  return unusableBackup(file, `is corrupt: part of it is missing or was modified (${detail.trim()})`);
}

function unusableBackup(file: string, reason: string): PresetdError {
  return new PresetdError('conflict', `${file} ${reason}.`);
}
