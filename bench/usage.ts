import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config/server-config.ts';
import { systemClock } from '../src/core/clock.ts';
import { newId } from '../src/core/identifiers.ts';
import type { CallGroup } from '../src/core/ledger/call-group.ts';
import type { CallRecord } from '../src/core/ledger/call-record.ts';
import { bootstrap } from '../src/core/organization/bootstrap.ts';
import { migrateStorage, openStorage } from '../src/storage/open.ts';
import { callIdAt, callRecord } from '../test/support/call-records.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { median } from './compare.ts';
import { apiKey, type Engine, executeSql, managementKey } from './database.ts';
import { type Figures, jsonLine, tables } from './report.ts';
import { startPresetd } from './server-process.ts';

/**
 * Measures how long questions about the usage of an organization take: the charts of the dashboard
 * and pages of calls, over 90 days with ten million calls. Engines run one after the other. Filling
 * a database takes most of a run, so `--folder` keeps it for the next one.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    calls: { type: 'string', default: '10000000' },
    // How often each question is asked.
    repeat: { type: 'string', default: '7' },
    folder: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const days = 90;
const dayMs = 86_400_000;
/** The largest number of calls in a transaction that keeps memory small. */
const callsPerWrite = 5_000;
const targetMs = 500;

const now = Date.now();
const start = Math.floor(now / dayMs) * dayMs - (days - 1) * dayMs;
const ago = (count: number) => ({
  time_range: { start: new Date(now - count * dayMs).toISOString(), end: new Date(now).toISOString() },
});
const basics = ['request_count', 'total_usage', 'tokens_total', 'error_rate'];
const quantiles = ['latency_p50', 'latency_p95', 'latency_p99'];

/** The queries of the dashboard. A string is the path of a page of calls. */
const questions: Readonly<Record<string, string | object>> = {
  '90 days by day': { metrics: [...basics, ...quantiles], granularity: 'day', ...ago(90) },
  '90 days by day and model': { metrics: basics, dimensions: ['model'], granularity: 'day', ...ago(90) },
  '90 days of a preset by day and version': {
    metrics: [...basics, ...quantiles],
    dimensions: ['preset_version'],
    filters: [{ field: 'preset', operator: 'eq', value: presetId(3) }],
    granularity: 'day',
    ...ago(90),
  },
  '90 days by key': { metrics: [...basics, 'latency_p95'], dimensions: ['api_key_id'], ...ago(90) },
  '30 days by day and preset': {
    metrics: ['request_count'],
    dimensions: ['preset'],
    granularity: 'day',
    ...ago(30),
  },
  '7 days by hour': { metrics: [...basics, ...quantiles], granularity: 'hour', ...ago(7) },
  'latest calls': '/api/v1/generations?limit=100',
  'latest calls of a preset': `/api/v1/generations?limit=100&preset=${presetId(3)}`,
  'latest errors': '/api/v1/generations?limit=100&status=error',
};

for (const engine of values.engine) {
  if (engine !== 'sqlite' && engine !== 'postgres')
    throw new Error(`--engine must be sqlite or postgres, not "${engine}".`);
  const figures = await measure(engine, Number(values.calls));
  process.stdout.write(values.json ? figures.map(jsonLine).join('') : tables(figures));
  for (const { failure } of figures) {
    if (failure === undefined) continue;
    process.stderr.write(`${failure}\n`);
    process.exitCode = 1;
  }
}

async function measure(engine: Engine, calls: number): Promise<readonly Figures[]> {
  await using started = new AsyncDisposableStack();
  const folder = resolve(values.folder ?? mkdtempSync(join(tmpdir(), 'presetd-usage-')));
  if (values.folder === undefined) started.defer(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  const postgres =
    engine === 'postgres'
      ? await startPostgres({ durable: true, folder: join(folder, 'postgres') })
      : undefined;
  started.defer(async () => postgres?.stop());
  if (engine === 'postgres' && postgres === undefined) throw new Error('No PostgreSQL found.');
  const url = await databaseUrl(folder, calls, postgres);
  const marker = join(folder, `${engine}_${calls}.filled`);
  if (!existsSync(marker)) {
    await fill(url, calls, (text) => process.stderr.write(`${engine}: ${text}\n`));
    if (postgres !== undefined) await executeSql({ url }, 'VACUUM ANALYZE');
    writeFileSync(marker, '');
  }
  const server = await startPresetd(url);
  started.defer(() => server.stop());
  const figures: Figures[] = [];
  for (const [name, question] of Object.entries(questions)) {
    const times: number[] = [];
    for (let run = 0; run < Number(values.repeat); run += 1) times.push(await ask(server.url, question));
    figures.push(figuresOf(engine, name, times));
  }
  return figures;
}

async function databaseUrl(
  folder: string,
  calls: number,
  postgres: PostgresServer | undefined,
): Promise<string> {
  if (postgres === undefined) return `sqlite:${join(folder, `calls_${calls}.db`)}`;
  const url = new URL(postgres.url);
  url.pathname = `/calls_${calls}`;
  const duplicateDatabase = '42P04';
  await executeSql(postgres, `CREATE DATABASE calls_${calls}`).catch((error: { code?: string }) => {
    if (error.code !== duplicateDatabase) throw error;
  });
  return url.href;
}

/** Writes calls as a server does, only more at a time. */
async function fill(url: string, calls: number, log: (text: string) => void): Promise<void> {
  const options = loadConfig({ DATABASE_URL: url }).storage;
  await migrateStorage(options);
  const storage = await openStorage(options);
  try {
    const owner = { email: 'owner@example.com', firstName: 'Preset', lastName: 'Owner' };
    await bootstrap(storage, systemClock, { owner, apiKey, managementKey });
    const first = await storage.organizations.first();
    if (first === undefined) throw new Error('a newly bootstrapped database has no organization');
    const { organization, admin } = first;
    const place = { organizationId: organization.id, workspaceId: organization.defaultWorkspaceId };
    const random = seeded(1);
    for (let written = 0; written < calls; written += callsPerWrite) {
      const count = Math.min(callsPerWrite, calls - written);
      const batch = Array.from({ length: count }, (_, index) =>
        sampleCall(place, admin.id, (written + index) / calls, random),
      );
      await storage.ledger.write({ id: newId(), calls: batch }, true);
      if (written % 1_000_000 === 0) log(`${written} of ${calls} calls`);
    }
  } finally {
    await storage.close();
  }
}

/**
 * A call at a share of the time: of one of 100 presets, of which few get most calls, with three
 * keys each, whose version changes every nine days.
 */
function sampleCall(
  place: { readonly organizationId: string; readonly workspaceId: string },
  userId: string,
  share: number,
  random: () => number,
): CallRecord {
  const preset = Math.floor(100 * random() ** 3);
  const status = random() < 0.97 ? 200 : random() < 0.5 ? 429 : 502;
  const input = Math.floor(200 + 2_000 * random());
  const output = status === 200 ? Math.floor(1_000 * random() ** 2) : 0;
  const totalMs = Math.exp(6 + 1.2 * (random() + random() + random() - 1.5));
  const group: Partial<CallGroup> = {
    keyId: idOf('key', preset * 3 + Math.floor(3 * random())),
    userId,
    presetId: presetId(preset),
    presetSlug: `preset-${preset}`,
    version: 1 + Math.floor(10 * share),
    selection: 'live',
    model: `model-${preset % 7}`,
    upstream: `upstream-${preset % 3}`,
    status,
  };
  const isStreamed = random() < 0.5;
  return callRecord(place, {
    id: callIdAt(Math.floor(start + share * (now - start))),
    group,
    tokens: { input, cached: null, cacheWrite: null, output, reasoning: null },
    cost: { nanos: input * 30 + output * 120, source: 'file', price: { inputPerMillion: 0.03 } },
    totalMs,
    isStreamed,
    firstTokenMs: isStreamed ? totalMs / 3 : null,
    upstreamId: `chatcmpl-${Math.floor(1e15 * random()).toString(36)}`,
  });
}

function presetId(index: number): string {
  return idOf('preset', index);
}

function idOf(kind: 'preset' | 'key', index: number): string {
  return `00000000-0000-7000-8000-${kind === 'key' ? 'a' : 'b'}${String(index).padStart(11, '0')}`;
}

/** Mulberry32: the same calls in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Milliseconds until the whole response has arrived. */
async function ask(url: string, question: string | object): Promise<number> {
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' };
  const startedAt = performance.now();
  const response =
    typeof question === 'string'
      ? await fetch(url + question, { headers })
      : await fetch(`${url}/api/v1/analytics/query`, {
          method: 'POST',
          headers,
          body: JSON.stringify(question),
        });
  const { data } = (await response.json()) as { readonly data: object };
  const rows = Array.isArray(data) ? data : (data as { readonly data: readonly object[] }).data;
  if (!response.ok || rows.length === 0)
    throw new Error(`${JSON.stringify(question)} got ${response.status} without rows`);
  return performance.now() - startedAt;
}

function figuresOf(engine: Engine, name: string, times: readonly number[]): Figures {
  const ms = median(times);
  return {
    columns: ['question', 'engine', 'median ms', 'first ms', 'target'],
    cells: [name, engine, ms.toFixed(0), (times[0] ?? Number.NaN).toFixed(0), String(targetMs)],
    values: { name, engine, medianMs: Math.round(ms), timesMs: times.map(Math.round) },
    failure: ms > targetMs ? `${name} on ${engine} takes ${ms.toFixed(0)} ms.` : undefined,
  };
}
