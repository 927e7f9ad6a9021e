import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../src/config.ts';
import { bootstrap } from '../src/core/bootstrap.ts';
import { systemClock } from '../src/core/clock.ts';
import { newId } from '../src/core/identifiers.ts';
import { addPerson } from '../src/core/member-change.ts';
import type { Storage } from '../src/core/storage.ts';
import { capturePreset } from '../src/dialects/chat-completions/capture-preset.ts';
import type { ChatCompletionsRequest } from '../src/dialects/chat-completions/schema.ts';
import { migrateStorage, openStorage } from '../src/storage/open.ts';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { supportRequest } from './support-request.ts';

export type Engine = 'sqlite' | 'postgres';

export interface Database {
  readonly url: string;
  remove(): Promise<void>;
}

/** Known to every database of the benchmarks. */
export const apiKey = 'sk-pst-v1-benchmark-api-key';
export const managementKey = 'sk-pst-v1-benchmark-management-key';

const memberCount = 1_000;

/** Read by the benchmarks and written by none. */
export const readSlugs = Array.from({ length: 100 }, (_, index) => `read-${index}`);

/** An empty database of its own, with the newest schema, the first organization, its keys and a thousand members. */
export async function createDatabase(
  engine: Engine,
  postgres: PostgresServer | undefined,
  name: string,
): Promise<Database> {
  const database = engine === 'sqlite' ? sqliteFile() : await postgresDatabase(postgres, `bench_${name}`);
  try {
    await fill(database.url);
    // Statistics come by themselves some time after a table is filled; both servers must meet the same plans.
    if (engine === 'postgres') await execute(database, 'VACUUM ANALYZE');
    return database;
  } catch (error) {
    await database.remove();
    throw error;
  }
}

function sqliteFile(): Database {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-bench-sqlite-'));
  return {
    url: `sqlite:${join(folder, 'presetd.db')}`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function postgresDatabase(postgres: PostgresServer | undefined, name: string): Promise<Database> {
  if (postgres === undefined) throw new Error('a benchmark on PostgreSQL was started without one');
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  await execute(postgres, `CREATE DATABASE ${name}`);
  return {
    url: url.href,
    async remove() {
      // Ctrl-C also ends the server, and what is left in it goes with its folder.
      await execute(postgres, `DROP DATABASE ${name} WITH (FORCE)`).catch(() => {});
    },
  };
}

export async function execute({ url }: { readonly url: string }, sql: string): Promise<void> {
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
    await bootstrap(storage.organizations, systemClock, { owner, apiKey, managementKey });
    await addMembers(storage);
    await addPresets(storage);
  } finally {
    await storage.close();
  }
}

async function addMembers({ members, organizations }: Storage): Promise<void> {
  const first = await organizations.first();
  if (first === undefined) throw new Error('a database that was just bootstrapped has no organization');
  const people = Array.from({ length: memberCount - 1 }, (_, index) => ({
    email: `firstname.lastname-${index}@example.com`,
    firstName: 'Firstname',
    lastName: `Lastname-${index}`,
  }));
  const author = { userId: first.admin.id, keyLabel: 'benchmark' };
  await members.join(first.organization.id, author, people, addPerson(systemClock()));
}

async function addPresets({ presets, organizations }: Storage): Promise<void> {
  const first = await organizations.first();
  if (first === undefined) throw new Error('a database that was just bootstrapped has no organization');
  const { organization, admin } = first;
  const { config, systemPrompt } = capturePreset(supportRequest(1_000) as ChatCompletionsRequest);
  const versions = readSlugs.map((slug) => ({
    organizationId: organization.id,
    workspaceId: organization.defaultWorkspaceId,
    slug,
    presetId: newId(),
    versionId: newId(),
    author: { userId: admin.id, keyLabel: 'benchmark' },
    dialect: 'chat-completions' as const,
    configJson: JSON.stringify(config),
    systemPrompt,
    createdAt: systemClock(),
  }));
  await Promise.all(versions.map((version) => presets.createVersion(version)));
}
