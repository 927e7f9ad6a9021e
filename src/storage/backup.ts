import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PresetdError } from '../core/errors.ts';
import {
  appliedMigrations,
  type BackupCounts,
  type BackupOptions,
  type CopyProgress,
  emptyTables,
  endSessions,
  fillBackup,
  finalizeBackup,
  migrateBackup,
  omittedTables,
  signInTables,
  verifyBackup,
  withBackupTables,
} from './backup-file.ts';
import { readMigrations } from './migrate.ts';
import { assertMigrated, explainStorageErrors, type StorageOptions } from './open.ts';
import { backUpPostgres } from './postgres/backup.ts';
import type { PostgresOptions } from './postgres/database.ts';
import { restorePostgres } from './postgres/restore.ts';
import { backUpSqlite } from './sqlite/backup.ts';

/**
 * Writes a consistent snapshot of the database into `draft`, an empty file that nothing else uses
 * yet, and verifies it.
 *
 * The database stays in use meanwhile: SQLite copies pages inside a read transaction, PostgreSQL
 * reads rows from a repeatable-read snapshot. The draft becomes a single file before it is
 * verified. On failure the caller deletes the draft; the database itself is never modified. On
 * SQLite, omitted rows are copied first and then deleted, because only a copy of pages keeps the
 * schema exactly as it is.
 */
export async function backUp(
  options: StorageOptions,
  draft: string,
  contents: BackupOptions,
  progress: CopyProgress,
): Promise<BackupCounts> {
  const { database, ...limits } = options;
  const omitted = omittedTables(contents);
  if (database.engine === 'sqlite') {
    await explainStorageErrors(() => backUpSqlite(database.file, draft, progress), database);
    emptyTables(draft, omitted);
  } else {
    await assertMigrated(options);
    await fillBackup(draft, (tables, store) => {
      const wanted = tables.filter(({ name }) => !omitted.includes(name));
      return explainStorageErrors(() => backUpPostgres({ ...database, ...limits }, wanted, store, progress));
    });
  }
  finalizeBackup(draft);
  return verifyBackup(draft);
}

/**
 * Restores a backup into `draft`, an empty file, and migrates it to the newest schema. Additions of
 * a newer version are kept, unless this version could not read the result. Everyone has to sign in
 * again.
 */
export async function restoreToFile(backup: string, draft: string, progress: CopyProgress): Promise<void> {
  assertNotNewer(backup, ({ isBreaking }) => isBreaking);
  await backUpSqlite(backup, draft, progress);
  await explainStorageErrors(() => migrateBackup(draft));
  endSessions(draft);
}

/**
 * Restores a backup, except for its sessions, into a PostgreSQL database without presetd data. A
 * backup with an older schema is migrated first, in a temporary copy: its tables must match the
 * target's. Fails without changes when the target already has an organization.
 */
export async function restoreToPostgres(
  options: PostgresOptions,
  backup: string,
  progress: CopyProgress,
): Promise<void> {
  // Additions of a newer version have no place in the target's tables.
  assertNotNewer(backup, () => true);
  const restore = (file: string) =>
    withBackupTables(file, (tables) =>
      explainStorageErrors(() =>
        restorePostgres(
          options,
          tables.filter(({ name }) => !signInTables.includes(name)),
          progress,
        ),
      ),
    );
  if (hasNewestSchema(backup)) return restore(backup);
  const folder = mkdtempSync(join(tmpdir(), 'presetd-restore-'));
  try {
    const copy = join(folder, 'copy.db');
    await restoreToFile(backup, copy, () => {});
    await restore(copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Throws `conflict` if a newer version applied a migration to the backup that matters. */
function assertNotNewer(
  backup: string,
  matters: (migration: { readonly isBreaking: boolean }) => boolean,
): void {
  const known = readMigrations('sqlite').map(({ name }) => name);
  const newer = appliedMigrations(backup).find((each) => !known.includes(each.name) && matters(each));
  if (newer === undefined) return;
  throw new PresetdError(
    'conflict',
    `${backup} was created by a newer presetd (migration ${newer.name}). Restore it with that version.`,
  );
}

function hasNewestSchema(backup: string): boolean {
  const applied = appliedMigrations(backup).map(({ name }) => name);
  return readMigrations('sqlite').every(({ name }) => applied.includes(name));
}
