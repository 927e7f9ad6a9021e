import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type AppliedMigration, type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { connect, type SqliteOptions } from './open.ts';
import { WriteQueue } from './write-queue.ts';

/**
 * Applies pending migrations in one transaction. A second process that migrates at the same time
 * waits for the first and finds nothing left to do.
 */
export async function migrateSqlite(options: SqliteOptions): Promise<readonly Migration[]> {
  using connection = await connect(options);
  return await new WriteQueue(connection, options).write(async () => applyPending(connection));
}

/** The pending migrations, without applying them. Does not create a missing file. */
export async function pendingSqliteMigrations(options: SqliteOptions): Promise<readonly Migration[]> {
  if (!existsSync(options.file)) return readMigrations('sqlite');
  using connection = await connect(options);
  const tables = connection.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`);
  return tables.get() === undefined ? readMigrations('sqlite') : pendingMigrationsIn(connection);
}

function applyPending(connection: DatabaseSync): readonly Migration[] {
  connection.exec(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL, is_breaking INTEGER NOT NULL, applied_at TEXT NOT NULL
    ) STRICT`,
  );
  const pending = pendingMigrationsIn(connection);
  const record = connection.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
  for (const migration of pending) {
    connection.exec(migration.sql);
    record.run(migration.number, migration.name, migration.isBreaking ? 1 : 0, new Date().toISOString());
  }
  return pending;
}

function pendingMigrationsIn(connection: DatabaseSync): readonly Migration[] {
  return pendingMigrations(readMigrations('sqlite'), appliedMigrationsIn(connection));
}

/** In order. */
export function appliedMigrationsIn(connection: DatabaseSync): readonly AppliedMigration[] {
  const applied = connection.prepare('SELECT name, is_breaking FROM schema_migrations ORDER BY number').all();
  return applied.map((row) => ({ name: String(row.name), isBreaking: row.is_breaking === 1 }));
}
