import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { PresetdError } from '../core/errors.ts';
import { migrateSqlite } from './sqlite/open.ts';

/** How far a copy is, in whatever it counts. */
export type CopyProgress = (done: number, total: number) => void;

export interface BackupCounts {
  readonly presets: number;
  readonly versions: number;
}

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export type Row = Readonly<Record<string, unknown>>;

/** A table of a backup that is being read, row by row. */
export interface StoredTable extends BackupTable {
  readonly rowCount: number;
  rows(): Iterable<Row>;
}

/** The limits that opening a file wants; there is nobody else to wait for. */
const migrationLimits = { timeoutMs: 5_000, writesWaitingMax: 1 };

/**
 * Says what a backup holds, or in a sentence why it cannot be used. A backup is a presetd database on SQLite, whichever
 * engine it was taken from: it can be looked at with any tool, and even be served.
 */
export function verifyBackup(file: string): BackupCounts {
  return withReadOnlyDatabase(file, (database) => {
    if (!isPresetdDatabase(database))
      throw unusableBackup(file, 'is a SQLite database, but not one of presetd');
    const [corruption] = database.prepare('PRAGMA integrity_check(1)').all();
    if (corruption?.integrity_check !== 'ok') throw corruptBackup(file, String(corruption?.integrity_check));
    const [orphan] = database.prepare('PRAGMA foreign_key_check').all();
    if (orphan !== undefined)
      throw unusableBackup(file, `is damaged: ${orphan.table} lacks rows of ${orphan.parent}`);
    const count = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    return { presets: count('presets'), versions: count('preset_versions') };
  });
}

/** One file without a log beside it, which can be copied by itself and read from a disk that cannot be written. */
export function finalizeBackup(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } finally {
    database.close();
  }
}

/** Brings a copy of a backup to the newest schema. */
export async function migrateBackup(file: string): Promise<void> {
  await migrateSqlite({ file, ...migrationLimits });
}

/** The migrations that made a backup, in order. */
export function appliedMigrations(file: string): readonly string[] {
  return withReadOnlyDatabase(file, (database) =>
    database
      .prepare('SELECT name FROM schema_migrations ORDER BY number')
      .all()
      .map(({ name }) => String(name)),
  );
}

/**
 * Makes an empty file a database of the newest schema and has it filled. Triggers and indexes come last: the rows
 * bring along what the triggers would count, and an index is made sooner of all rows than row by row.
 */
export async function fillBackup(
  file: string,
  fill: (tables: readonly BackupTable[], store: (table: BackupTable, row: Row) => void) => Promise<void>,
): Promise<void> {
  await migrateBackup(file);
  const database = new DatabaseSync(file);
  try {
    // A file that is not finished is thrown away, so nothing has to protect it meanwhile.
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
  } finally {
    database.close();
  }
}

/** Lets somebody read the tables of a backup. */
export async function withBackupTables<T>(
  file: string,
  work: (tables: readonly StoredTable[]) => Promise<T>,
): Promise<T> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return await work(
      tablesOf(database).map((table) => ({
        ...table,
        rowCount: Number(database.prepare(`SELECT count(*) AS n FROM ${table.name}`).get()?.n),
        rows: () => database.prepare(`SELECT ${quoted(table.columns)} FROM ${table.name}`).iterate(),
      })),
    );
  } finally {
    database.close();
  }
}

/** All but the list of migrations, which every database keeps of its own. */
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

/** Both engines write names so; some of ours are words of SQL. */
export function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

function toSqlite(value: unknown): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
}

function isPresetdDatabase(database: DatabaseSync): boolean {
  const found = database
    .prepare(`SELECT name FROM sqlite_schema WHERE name IN ('schema_migrations', 'preset_versions')`)
    .all();
  return found.length === 2;
}

const notADatabaseCode = 26;
const corruptCode = 11;

function withReadOnlyDatabase<T>(file: string, work: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    return work(database);
  } catch (error) {
    if (!(error instanceof Error) || !('errcode' in error)) throw error;
    const code = Number(error.errcode) & 0xff;
    if (code === notADatabaseCode) throw unusableBackup(file, 'is not a SQLite database');
    if (code === corruptCode) throw corruptBackup(file, error.message);
    throw unusableBackup(file, `cannot be read: ${error.message}`);
  } finally {
    database?.close();
  }
}

/** SQLite's own words may be several lines. */
function corruptBackup(file: string, reason: string): PresetdError {
  const detail = reason.replace(/\*\*\*.*?\*\*\*/g, '').replace(/\s+/g, ' ');
  return unusableBackup(file, `is damaged: a part of it is missing or was changed (${detail.trim()})`);
}

function unusableBackup(file: string, reason: string): PresetdError {
  return new PresetdError('conflict', `${file} ${reason}.`);
}
