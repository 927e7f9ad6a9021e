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

/** Writes everything, as it is at one moment, into an empty file that nobody else looks at yet, and checks that file. */
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

/** Makes a database of the newest schema from a backup, in an empty file. */
export async function restoreToFile(backup: string, draft: string, progress: CopyProgress): Promise<void> {
  await backUpSqlite(backup, draft, progress);
  await explainStorageErrors(() => migrateBackup(draft));
}

/** Brings a backup into a PostgreSQL that has nothing of ours. */
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
  // That of an older version: its tables become those of this one in a copy.
  const folder = mkdtempSync(join(tmpdir(), 'presetd-restore-'));
  try {
    const copy = join(folder, 'copy.db');
    await restoreToFile(backup, copy, () => {});
    await restore(copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether the backup has the newest schema. What a newer presetd added has no place here. */
function assertKnownSchema(backup: string): boolean {
  const known = readMigrations('sqlite').map(({ name }) => name);
  const applied = appliedMigrations(backup);
  const unknown = applied.find((name) => !known.includes(name));
  if (unknown === undefined) return known.every((name) => applied.includes(name));
  throw new PresetdError(
    'conflict',
    `${backup} is the backup of a newer presetd (it has the migration ${unknown}), which has to restore it.`,
  );
}
