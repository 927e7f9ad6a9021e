import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** Marked by a first line `--! breaking`: older versions of presetd cannot work on the result. */
  readonly isBreaking: boolean;
}

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly isBreaking: boolean;
}

export function readMigrations(engine: 'sqlite' | 'postgres'): readonly Migration[] {
  const folder = new URL(`../../migrations/${engine}/`, import.meta.url);
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

/** The migrations still to run, in order. Refuses a database that this version of presetd would misread. */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const knownNames = new Set(known.map((migration) => migration.name));
  const unknown = applied.find((migration) => !knownNames.has(migration.name) && migration.isBreaking);
  if (unknown !== undefined) {
    throw new Error(
      `The database was changed by a newer presetd (migration ${unknown.name}) in a way that this one does not understand. Start the newer version.`,
    );
  }
  const appliedNames = new Set(applied.map((migration) => migration.name));
  return known.filter((migration) => !appliedNames.has(migration.name));
}
