import { readdirSync, readFileSync } from 'node:fs';
import { packageRoot } from '../package.ts';

/** A migration file. Released files never change: databases record only their number and name. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** Marked by the first line `--! breaking`: older versions of presetd cannot use the result. */
  readonly isBreaking: boolean;
}

/** A row of `schema_migrations`. It may name a migration that only a newer version knows. */
export interface AppliedMigration {
  readonly name: string;
  readonly isBreaking: boolean;
}

/** Reads the engine's migrations, in the order in which they apply. */
export function readMigrations(engine: 'sqlite' | 'postgres'): readonly Migration[] {
  const folder = new URL(`migrations/${engine}/`, packageRoot);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, folder), 'utf8');
      return {
        number: Number.parseInt(file, 10),
        name: file.slice(0, -'.sql'.length),
        sql,
        isBreaking: sql.startsWith('--! breaking'),
      };
    });
}

/**
 * The migrations still to run, in order. Throws when a newer version made a breaking change: this
 * version would misread the database.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const knownNames = new Set(known.map((migration) => migration.name));
  const unknown = applied.find((migration) => !knownNames.has(migration.name) && migration.isBreaking);
  if (unknown !== undefined) {
    throw new Error(
      `A newer presetd migrated this database (migration ${unknown.name}), and this version cannot read it. Run the newer version.`,
    );
  }
  const appliedNames = new Set(applied.map((migration) => migration.name));
  return known.filter((migration) => !appliedNames.has(migration.name));
}
