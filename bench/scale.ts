import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { type Engine, executeSql } from './database.ts';
import { jsonLine, scaleFigures, tables } from './report.ts';
import { fill } from './scale/fill.ts';
import {
  type FilledDatabase,
  measureScale,
  type ScaleRow,
  type ScaleSettings,
} from './scale/measure-scale.ts';
import { growingOperations, type Operation, operations } from './scale/operations.ts';
import { renderPlot } from './scale/plot.ts';
import type { Size } from './scale/population.ts';

/**
 * Measures how response times change with a thousand times as much data: the same requests to a
 * small and a large database of each engine. Engines run one after the other, so that only one
 * large database, about 6 GB, exists at a time.
 */
interface Options {
  readonly engines: readonly Engine[];
  readonly operations: readonly Operation[];
  readonly small: Size;
  readonly large: Size;
  readonly settings: ScaleSettings;
  /** Where to keep databases for the next run; undefined to remove them. */
  readonly folder: string | undefined;
  readonly plotFile: string | undefined;
  readonly isJson: boolean;
}

/** Growing operations come first, because creates, the last of the others, change the databases. */
const allOperations = [...growingOperations, ...operations];

try {
  await run(readOptions());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** Measures one engine after the other and reports the operations in order of definition. */
async function run(options: Options): Promise<void> {
  const interruption = new AbortController();
  // Once: a second Ctrl-C ends the process without waiting for the servers to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruption.abort(new Error(`Stopped by ${signal}.`)));
  const rows: ScaleRow[] = [];
  for (const engine of options.engines) {
    await using started = new AsyncDisposableStack();
    const databases = await prepareDatabases(engine, options, started, interruption.signal);
    const { operations: selected, settings } = options;
    rows.push(...(await measureScale(engine, selected, databases, settings, interruption.signal)));
  }
  const inOrder = [...operations, ...growingOperations].flatMap((each) =>
    rows.filter(({ operation }) => operation === each),
  );
  const figures = inOrder.map(scaleFigures);
  if (options.isJson) for (const each of figures) process.stdout.write(jsonLine(each));
  else process.stdout.write(tables(figures));
  if (options.plotFile !== undefined) writeFileSync(options.plotFile, renderPlot(inOrder, options));
}

/** Fills a small and a large database, or reuses the large one of an earlier run. */
async function prepareDatabases(
  engine: Engine,
  options: Options,
  started: AsyncDisposableStack,
  interruption: AbortSignal,
): Promise<{ small: FilledDatabase; large: FilledDatabase }> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'presetd-scale-'));
  if (options.folder === undefined) started.defer(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  const postgres = engine === 'postgres' ? await startPostgresIn(join(folder, 'postgres')) : undefined;
  started.defer(async () => postgres?.stop());
  const ensureFilled = async (size: Size, isReused: boolean): Promise<FilledDatabase> => {
    const name = `presets_${size.presets}_members_${size.members}`;
    // A marker file exists only if the database was filled completely.
    const marker = join(folder, `${engine}_${name}.filled`);
    if (!isReused) rmSync(marker, { force: true });
    const url =
      postgres === undefined
        ? sqliteUrl(folder, name, isReused)
        : await ensureDatabase(postgres, name, isReused);
    if (!existsSync(marker)) {
      const begin = performance.now();
      const seconds = () => `${((performance.now() - begin) / 1_000).toFixed(0)} s`;
      const log = (text: string) => process.stderr.write(`${engine} ${name}: ${text} after ${seconds()}\n`);
      await fill(url, size, log, interruption);
      writeFileSync(marker, '');
    }
    const path = postgres === undefined ? join(folder, `${name}.db`) : join(folder, 'postgres');
    return { url, size, path, processIds: postgres === undefined ? [] : [postgres.processId] };
  };
  // Creates would noticeably enlarge the small database, so it is filled anew; the large one is
  // reused.
  return { small: await ensureFilled(options.small, false), large: await ensureFilled(options.large, true) };
}

/** The URL of a SQLite file in the folder. Deletes an existing file unless it is to be reused. */
function sqliteUrl(folder: string, name: string, isReused: boolean): string {
  const file = join(folder, `${name}.db`);
  if (!isReused) for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  return `sqlite:${file}`;
}

/** PostgreSQL with fsync on, whose data stays in the folder between runs. */
async function startPostgresIn(folder: string): Promise<PostgresServer> {
  const server = await startPostgres({ durable: true, folder });
  if (server !== undefined) return server;
  throw new Error(
    'No PostgreSQL found, neither from npm nor installed. To run without it: npm run bench:scale -- --engine sqlite',
  );
}

/**
 * The URL of a database that exists afterwards. Drops an existing one unless it is to be reused.
 */
async function ensureDatabase(postgres: PostgresServer, name: string, isReused: boolean): Promise<string> {
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  if (!isReused) await executeSql(postgres, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await executeSql(postgres, `CREATE DATABASE ${name}`).catch((error: { code?: string }) => {
    const duplicateDatabase = '42P04';
    if (error.code !== duplicateDatabase) throw error;
  });
  return url.href;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      // The engines to measure, one after the other.
      engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
      // The names of the operations to measure; all of them without it.
      only: { type: 'string', multiple: true },
      // How many presets, and as many members, each database has.
      small: { type: 'string', default: '1000' },
      large: { type: 'string', default: '1000000' },
      // How many slices of time each database gets per operation, and how long one is.
      slices: { type: 'string', default: '24' },
      'slice-ms': { type: 'string', default: '250' },
      connections: { type: 'string', default: '8' },
      // Where to keep the databases: filling a large one takes most of a run.
      folder: { type: 'string' },
      // Where to write the SVG that docs/performance.md shows.
      plot: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const sizeOf = (option: string, text: string) => {
    const size = parseCount(option, text, 10_000_000);
    return { presets: size, members: size };
  };
  return {
    engines: values.engine.map(parseEngine),
    operations: values.only === undefined ? allOperations : values.only.map(findOperation),
    small: sizeOf('--small', values.small),
    large: sizeOf('--large', values.large),
    settings: {
      slices: parseCount('--slices', values.slices, 9_999),
      sliceMs: parseCount('--slice-ms', values['slice-ms'], 60_000),
      connections: parseCount('--connections', values.connections, 1_000),
    },
    folder: values.folder === undefined ? undefined : resolve(values.folder),
    plotFile: values.plot,
    isJson: values.json,
  };
}

function parseEngine(name: string): Engine {
  if (name === 'sqlite' || name === 'postgres') return name;
  throw new Error(`--engine must be sqlite or postgres, not "${name}".`);
}

function findOperation(name: string): Operation {
  const found = allOperations.find((operation) => operation.name === name);
  if (found !== undefined) return found;
  throw new Error(
    `Unknown operation "${name}". Choose from: ${allOperations.map((each) => each.name).join(', ')}.`,
  );
}

function parseCount(option: string, text: string, maximum: number): number {
  const value = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw new Error(`${option} must be an integer from 1 to ${maximum}, not "${text}".`);
}
