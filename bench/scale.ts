import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { type Engine, execute } from './database.ts';
import { jsonLine, scaleFigures, tables } from './report.ts';
import { fill } from './scale/fill.ts';
import {
  type FilledDatabase,
  measureScale,
  type ScaleRow,
  type ScaleSettings,
} from './scale/measure-scale.ts';
import { growing, type Operation, operations } from './scale/operations.ts';
import { plot } from './scale/plot.ts';
import type { Size } from './scale/population.ts';

/**
 * What a thousand times as much costs: the same questions to a small and to a large database of each engine. One engine
 * after the other, so that only one large database needs room, about 6 GB.
 */
interface Options {
  readonly engines: readonly Engine[];
  readonly operations: readonly Operation[];
  readonly small: Size;
  readonly large: Size;
  readonly settings: ScaleSettings;
  /** Where databases are kept for the next run; undefined to remove them. */
  readonly folder: string | undefined;
  readonly plotFile: string | undefined;
  readonly isJson: boolean;
}

/** Those that grow come first, since creates come last. */
const all = [...growing, ...operations];

try {
  await run(readOptions());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function run(options: Options): Promise<void> {
  const interruption = new AbortController();
  // Once: whoever presses Ctrl-C again does not want to wait for the servers to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruption.abort(new Error(`Stopped by ${signal}.`)));
  const rows: ScaleRow[] = [];
  for (const engine of options.engines) {
    await using started = new AsyncDisposableStack();
    const databases = await filledDatabases(engine, options, started, interruption.signal);
    const { operations: asked, settings } = options;
    rows.push(...(await measureScale(engine, asked, databases, settings, interruption.signal)));
  }
  const inOrder = [...operations, ...growing].flatMap((each) =>
    rows.filter(({ operation }) => operation === each),
  );
  const figures = inOrder.map(scaleFigures);
  if (options.isJson) for (const each of figures) process.stdout.write(jsonLine(each));
  else process.stdout.write(tables(figures));
  if (options.plotFile !== undefined) writeFileSync(options.plotFile, plot(inOrder, options));
}

async function filledDatabases(
  engine: Engine,
  options: Options,
  started: AsyncDisposableStack,
  interruption: AbortSignal,
): Promise<{ small: FilledDatabase; large: FilledDatabase }> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'presetd-scale-'));
  if (options.folder === undefined) started.defer(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  const postgres = engine === 'postgres' ? await startIn(join(folder, 'postgres')) : undefined;
  started.defer(async () => postgres?.stop());
  const filled = async (size: Size, isKept: boolean): Promise<FilledDatabase> => {
    const name = `presets_${size.presets}_members_${size.members}`;
    const mark = join(folder, `${engine}_${name}.filled`);
    if (!isKept) rmSync(mark, { force: true });
    const url =
      postgres === undefined ? sqliteIn(folder, name, isKept) : await databaseIn(postgres, name, isKept);
    if (!existsSync(mark)) {
      const begin = performance.now();
      const seconds = () => `${((performance.now() - begin) / 1_000).toFixed(0)} s`;
      const note = (text: string) => process.stderr.write(`${engine} ${name}: ${text} after ${seconds()}\n`);
      await fill(url, size, note, interruption);
      writeFileSync(mark, '');
    }
    const path = postgres === undefined ? join(folder, `${name}.db`) : join(folder, 'postgres');
    return { url, size, path, processIds: postgres === undefined ? [] : [postgres.processId] };
  };
  // Creates make the small one larger, of which it must not keep anything; the large one is as large as before.
  return { small: await filled(options.small, false), large: await filled(options.large, true) };
}

function sqliteIn(folder: string, name: string, isKept: boolean): string {
  const file = join(folder, `${name}.db`);
  if (!isKept) for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  return `sqlite:${file}`;
}

async function startIn(folder: string): Promise<PostgresServer> {
  const server = await startPostgres({ durable: true, folder });
  if (server !== undefined) return server;
  throw new Error(
    'There is no PostgreSQL for this platform, neither from npm nor installed. Without it: npm run bench:scale -- --engine sqlite',
  );
}

async function databaseIn(postgres: PostgresServer, name: string, isKept: boolean): Promise<string> {
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  if (!isKept) await execute(postgres, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await execute(postgres, `CREATE DATABASE ${name}`).catch((error: { code?: string }) => {
    const duplicateDatabase = '42P04';
    if (error.code !== duplicateDatabase) throw error;
  });
  return url.href;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
      only: { type: 'string', multiple: true },
      small: { type: 'string', default: '1000' },
      large: { type: 'string', default: '1000000' },
      slices: { type: 'string', default: '24' },
      'slice-ms': { type: 'string', default: '250' },
      connections: { type: 'string', default: '8' },
      folder: { type: 'string' },
      plot: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const sizeOf = (option: string, text: string) => {
    const size = count(option, text, 10_000_000);
    return { presets: size, members: size };
  };
  return {
    engines: values.engine.map(engineNamed),
    operations: values.only === undefined ? all : values.only.map(operationNamed),
    small: sizeOf('--small', values.small),
    large: sizeOf('--large', values.large),
    settings: {
      slices: count('--slices', values.slices, 9_999),
      sliceMs: count('--slice-ms', values['slice-ms'], 60_000),
      connections: count('--connections', values.connections, 1_000),
    },
    folder: values.folder === undefined ? undefined : resolve(values.folder),
    plotFile: values.plot,
    isJson: values.json,
  };
}

function engineNamed(name: string): Engine {
  if (name === 'sqlite' || name === 'postgres') return name;
  throw new Error(`--engine must be sqlite or postgres, and is "${name}".`);
}

function operationNamed(name: string): Operation {
  const found = all.find((operation) => operation.name === name);
  if (found !== undefined) return found;
  throw new Error(`There is no operation "${name}". Known are: ${all.map((each) => each.name).join(', ')}.`);
}

function count(option: string, text: string, maximum: number): number {
  const value = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw new Error(`${option} must be a whole number from 1 to ${maximum}, and is "${text}".`);
}
