import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../src/config/server-config.ts';
import { systemClock } from '../src/core/clock.ts';
import { newId } from '../src/core/identifiers.ts';
import { bootstrap } from '../src/core/organization/bootstrap.ts';
import { addMember } from '../src/core/organization/member-change.ts';
import type { Storage } from '../src/core/storage.ts';
import { capturePreset } from '../src/dialects/presets/capture-preset.ts';
import { migrateStorage, openStorage } from '../src/storage/open.ts';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { supportRequest } from './support-request.ts';

export type Engine = 'sqlite' | 'postgres';

/** A database for one server of a benchmark. */
export interface Database {
  readonly url: string;
  remove(): Promise<void>;
}

/** Keys that every benchmark database accepts. */
export const apiKey = 'sk-pst-v1-benchmark-api-key';
export const managementKey = 'sk-pst-v1-benchmark-management-key';

const memberCount = 1_000;

/** Presets that benchmarks read but never write. */
export const readSlugs = Array.from({ length: 100 }, (_, index) => `read-${index}`);

/**
 * Creates a database with the newest schema, the first organization, its keys, a thousand members
 * and the presets to read. Removes it again on failure.
 */
export async function createDatabase(
  engine: Engine,
  postgres: PostgresServer | undefined,
  name: string,
): Promise<Database> {
  const database = engine === 'sqlite' ? sqliteFile() : await postgresDatabase(postgres, `bench_${name}`);
  try {
    await fill(database.url);
    // Autovacuum gathers statistics at an unpredictable time; both servers must get the same plans.
    if (engine === 'postgres') await executeSql(database, 'VACUUM ANALYZE');
    return database;
  } catch (error) {
    await database.remove();
    throw error;
  }
}

/** A file in a temporary folder of its own, because SQLite creates files next to it. */
function sqliteFile(): Database {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-bench-sqlite-'));
  return {
    url: `sqlite:${join(folder, 'presetd.db')}`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function postgresDatabase(postgres: PostgresServer | undefined, name: string): Promise<Database> {
  if (postgres === undefined) throw new Error('a PostgreSQL benchmark needs a PostgreSQL server');
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  await executeSql(postgres, `CREATE DATABASE ${name}`);
  return {
    url: url.href,
    async remove() {
      // Ctrl-C also ends the PostgreSQL server, and its databases go with its folder.
      await executeSql(postgres, `DROP DATABASE ${name} WITH (FORCE)`).catch(() => {});
    },
  };
}

/** Runs SQL on a new connection to PostgreSQL. */
export async function executeSql({ url }: { readonly url: string }, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function fill(url: string): Promise<void> {
  const options = loadConfig({ DATABASE_URL: url }).storage;
  await migrateStorage(options);
  const storage = await openStorage(options);
  try {
    const owner = { email: 'owner@example.com', firstName: 'Preset', lastName: 'Owner' };
    await bootstrap(storage, systemClock, { owner, apiKey, managementKey });
    await addMembers(storage);
    await addPresets(storage);
  } finally {
    await storage.close();
  }
}

/** A thousand members, so that a page is a small part of the organization. */
async function addMembers({ members, organizations }: Storage): Promise<void> {
  const first = await organizations.first();
  if (first === undefined) throw new Error('a newly bootstrapped database has no organization');
  const people = Array.from({ length: memberCount - 1 }, (_, index) => ({
    email: `firstname.lastname-${index}@example.com`,
    firstName: 'Firstname',
    lastName: `Lastname-${index}`,
  }));
  const author = { userId: first.admin.id, keyLabel: 'benchmark' };
  await members.upsert(first.organization.id, author, people, addMember(systemClock()));
}

/** The presets of `readSlugs`, each with one version of the same typical request. */
async function addPresets({ presets, organizations }: Storage): Promise<void> {
  const first = await organizations.first();
  if (first === undefined) throw new Error('a newly bootstrapped database has no organization');
  const { organization, admin } = first;
  const { config, systemPrompt } = capturePreset(supportRequest(1_000), 'chat-completions');
  const versions = readSlugs.map((slug) => ({
    organizationId: organization.id,
    workspaceId: organization.defaultWorkspaceId,
    slug,
    presetId: newId(),
    versionId: newId(),
    author: { userId: admin.id, keyLabel: 'benchmark' },
    dialect: 'chat-completions' as const,
    configJson: JSON.stringify(config),
    extensionJson: null,
    systemPrompt,
    createdAt: systemClock(),
  }));
  await Promise.all(versions.map((version) => presets.createVersion(version)));
}
