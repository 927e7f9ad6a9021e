import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PresetdError } from '../core/errors.ts';
import {
  appliedMigrations,
  type BackupCounts,
  type CopyProgress,
  fillBackup,
  finalizeBackup,
  migrateBackup,
  verifyBackup,
  withBackupTables,
} from './backup-file.ts';
import { readMigrations } from './migrate.ts';
import { assertMigrated, explainStorageErrors, type StorageOptions } from './open.ts';
import { backUpPostgres } from './postgres/backup.ts';
import type { PostgresOptions } from './postgres/connection.ts';
import { restorePostgres } from './postgres/restore.ts';
import { backUpSqlite } from './sqlite/backup.ts';

/**
 * Writes a consistent snapshot of the database into `draft`, an empty file that nothing else uses
 * yet, and verifies it.
 *
 * The database stays in use meanwhile: SQLite copies pages inside a read transaction, PostgreSQL
 * reads rows from a repeatable-read snapshot. The draft becomes a single file before it is
 * verified. On failure the caller deletes the draft; the database itself is never modified.
 */
export async function backUp(
  options: StorageOptions,
  draft: string,
  progress: CopyProgress,
): Promise<BackupCounts> {
  const { database, ...limits } = options;
  if (database.engine === 'sqlite')
    await explainStorageErrors(() => backUpSqlite(database.file, draft, progress), database);
  else {
    await assertMigrated(options);
    await fillBackup(draft, (tables, store) =>
      explainStorageErrors(() => backUpPostgres({ ...database, ...limits }, tables, store, progress)),
    );
  }
  finalizeBackup(draft);
  return verifyBackup(draft);
}

/** Restores a backup into `draft`, an empty file, and migrates it to the newest schema. */
export async function restoreToFile(backup: string, draft: string, progress: CopyProgress): Promise<void> {
  await backUpSqlite(backup, draft, progress);
  await explainStorageErrors(() => migrateBackup(draft));
}

/**
 * Restores a backup into a PostgreSQL database without presetd data. A backup with an older schema
 * is migrated first, in a temporary copy: its tables must match the target's. Fails without changes
 * when the target already has an organization.
 */
export async function restoreToPostgres(
  options: PostgresOptions,
  backup: string,
  progress: CopyProgress,
): Promise<void> {
  const isNewest = assertKnownSchema(backup);
  const restore = (file: string) =>
    withBackupTables(file, (tables) =>
      explainStorageErrors(() => restorePostgres(options, tables, progress)),
    );
  if (isNewest) return restore(backup);
  const folder = mkdtempSync(join(tmpdir(), 'presetd-restore-'));
  try {
    const copy = join(folder, 'copy.db');
    await restoreToFile(backup, copy, () => {});
    await restore(copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Whether the backup has the newest schema. Throws `conflict` for a newer one, whose additions this
 * version would drop.
 */
function assertKnownSchema(backup: string): boolean {
  const known = readMigrations('sqlite').map(({ name }) => name);
  const applied = appliedMigrations(backup);
  const unknown = applied.find((name) => !known.includes(name));
  if (unknown === undefined) return known.every((name) => applied.includes(name));
  throw new PresetdError(
    'conflict',
    `${backup} was created by a newer presetd (migration ${unknown}). Restore it with that version.`,
  );
}
