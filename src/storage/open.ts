import type { Storage } from '../core/storage.ts';
import type { Migration } from './migrate.ts';
import { migratePostgres, openPostgres } from './postgres/open.ts';
import { migrateSqlite, openSqlite } from './sqlite/open.ts';

export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

export interface StorageOptions {
  readonly database: DatabaseLocation;
  readonly poolSize: number;
  readonly timeoutMs: number;
}

export function openStorage({ database, ...limits }: StorageOptions): Promise<Storage> {
  return database.engine === 'sqlite'
    ? openSqlite({ ...database, ...limits })
    : openPostgres({ ...database, ...limits });
}

/** Brings the database to the newest schema. Returns what it had to do. */
export function migrateStorage({ database, ...limits }: StorageOptions): Promise<readonly Migration[]> {
  return database.engine === 'sqlite'
    ? migrateSqlite({ ...database, ...limits })
    : migratePostgres({ ...database, ...limits });
}
