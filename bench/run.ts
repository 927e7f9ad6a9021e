import { parseArgs } from 'node:util';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { create } from './create.ts';
import type { Engine } from './database.ts';
import { getPreset } from './get-preset.ts';
import { type LoadSettings, measure, type Question, type Row } from './measure.ts';
import { membersList } from './members-list.ts';
import { jsonLine, table } from './report.ts';
import { smallGet } from './small-get.ts';

interface Benchmark {
  readonly name: string;
  readonly question: Question;
  readonly engine: Engine;
}

const benchmarks: readonly Benchmark[] = [create, getPreset, smallGet, membersList].flatMap((question) =>
  (['sqlite', 'postgres'] as const).map((engine) => ({
    name: `${question.name}-${engine}`,
    question,
    engine,
  })),
);

try {
  const options = readOptions();
  await run(options.selected, options.load, options.isJson);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function run(selected: readonly Benchmark[], load: LoadSettings, isJson: boolean): Promise<void> {
  const interruption = new AbortController();
  // Once: whoever presses Ctrl-C again does not want to wait for the servers to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interruption.abort(new Error(`Stopped by ${signal}.`)));
  }
  await using started = new AsyncDisposableStack();
  const postgres = selected.some(({ engine }) => engine === 'postgres') ? await durablePostgres() : undefined;
  started.defer(async () => postgres?.stop());

  const rows: Row[] = [];
  for (const { name, question, engine } of selected) {
    const row = await measure(name, question, { engine, postgres }, load, interruption.signal);
    rows.push(row);
    if (isJson) process.stdout.write(jsonLine(row));
  }
  if (!isJson) process.stdout.write(table(rows));
}

async function durablePostgres(): Promise<PostgresServer> {
  process.stderr.write('starting PostgreSQL with fsync on\n');
  const server = await startPostgres({ durable: true });
  if (server !== undefined) return server;
  throw new Error(
    'There is no PostgreSQL for this platform, neither from npm nor installed. Name the benchmarks to run without it, such as: npm run bench -- --only create-sqlite',
  );
}

function readOptions(): { selected: readonly Benchmark[]; load: LoadSettings; isJson: boolean } {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      // Less than the default measures the interpreter: use it to try the benchmarks, not to compare.
      'warm-up-seconds': { type: 'string', default: '8' },
    },
  });
  return {
    selected: values.only === undefined ? benchmarks : values.only.map(benchmarkNamed),
    load: {
      roundSeconds: count('--seconds', values.seconds),
      rounds: count('--rounds', values.rounds),
      connections: count('--connections', values.connections),
      warmUpSeconds: count('--warm-up-seconds', values['warm-up-seconds']),
    },
    isJson: values.json,
  };
}

function benchmarkNamed(name: string): Benchmark {
  const found = benchmarks.find((benchmark) => benchmark.name === name);
  if (found !== undefined) return found;
  const names = benchmarks.map((benchmark) => benchmark.name).join(', ');
  throw new Error(`There is no benchmark "${name}". Known are: ${names}.`);
}

function count(option: string, text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number from 1 to 9999, and is "${text}".`);
}
