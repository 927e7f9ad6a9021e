import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { create } from './create.ts';
import type { Engine } from './database.ts';
import { prepareGateways } from './gateway-peers.ts';
import { getPreset } from './get-preset.ts';
import { measure, type Question, startOn } from './measure.ts';
import { measureGateway } from './measure-gateway.ts';
import { measureGatewayLatency } from './measure-gateway-latency.ts';
import { measureGatewayMemory } from './measure-gateway-memory.ts';
import { measureWorkers, type WorkersSettings, type WorkersStart } from './measure-workers.ts';
import { membersList } from './members-list.ts';
import {
  comparisonFigures,
  type Figures,
  jsonLine,
  latencyFigures,
  memoryFigures,
  tables,
} from './report.ts';
import { startPresetd } from './server-process.ts';
import { smallGet } from './small-get.ts';

interface Benchmark {
  readonly name: string;
  readonly needsPostgres: boolean;
  run(settings: RunSettings, postgres: PostgresServer | undefined, signal: AbortSignal): Promise<Figures>;
}

interface RunSettings extends WorkersSettings {
  /** Of the benchmark of memory. */
  readonly requestCount: number;
}

const benchmarks: readonly Benchmark[] = [
  ...[create, getPreset, smallGet, membersList].flatMap((question) => [
    onEngine(question, 'sqlite'),
    onEngine(question, 'postgres'),
  ]),
  inFrontOfUpstream('gateway', async (name, load, signal) =>
    comparisonFigures(await measureGateway(name, 'whole', load, signal), { bare: 0.75, portkey: 3 }),
  ),
  inFrontOfUpstream('gateway-stream', async (name, load, signal) =>
    comparisonFigures(await measureGateway(name, 'stream', load, signal), { bare: 0.9, portkey: 3 }),
  ),
  inFrontOfUpstream('gateway-latency', async (name, load, signal) =>
    latencyFigures(await measureGatewayLatency(name, load, signal)),
  ),
  inFrontOfUpstream('gateway-memory', async (name, load, signal) =>
    memoryFigures(await measureGatewayMemory(name, load.requestCount, load, signal)),
  ),
  ...[create, getPreset].flatMap((question) => [
    withWorkers(question, 'sqlite'),
    withWorkers(question, 'postgres'),
  ]),
  inFrontOfUpstream('workers-gateway', async (name, load, signal) => {
    const start: WorkersStart = async (started, environment) =>
      (await prepareGateways(started, 'whole')).presetd(environment);
    return comparisonFigures(await measureWorkers(name, start, load, signal));
  }),
];

try {
  const options = readOptions();
  await run(options.selected, options.settings, options.isJson);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function onEngine(question: Question, engine: Engine): Benchmark {
  const name = `${question.name}-${engine}`;
  return {
    name,
    needsPostgres: engine === 'postgres',
    run: async (settings, postgres, signal) =>
      comparisonFigures(await measure(name, question, { engine, postgres }, settings, signal), {
        bare: question.aim,
      }),
  };
}

function withWorkers(question: Question, engine: Engine): Benchmark {
  const name = `workers-${question.name}-${engine}`;
  return {
    name,
    needsPostgres: engine === 'postgres',
    async run(settings, postgres, signal) {
      const start: WorkersStart = async (started, environment) => {
        const database = `workers_${environment.PRESETD_WORKERS}`;
        const server = await startOn(started, { engine, postgres }, database, (url) =>
          startPresetd(url, environment),
        );
        return { server, requests: question.requests };
      };
      return comparisonFigures(await measureWorkers(name, start, settings, signal));
    },
  };
}

/** What goes through the gateway asks no database, so one engine stands for both. */
function inFrontOfUpstream(
  name: string,
  run: (name: string, settings: RunSettings, signal: AbortSignal) => Promise<Figures>,
): Benchmark {
  return { name, needsPostgres: false, run: (settings, _postgres, signal) => run(name, settings, signal) };
}

async function run(selected: readonly Benchmark[], settings: RunSettings, isJson: boolean): Promise<void> {
  const interruption = new AbortController();
  // Once: whoever presses Ctrl-C again does not want to wait for the servers to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interruption.abort(new Error(`Stopped by ${signal}.`)));
  }
  await using started = new AsyncDisposableStack();
  const postgres = selected.some(({ needsPostgres }) => needsPostgres) ? await durablePostgres() : undefined;
  started.defer(async () => postgres?.stop());

  const all: Figures[] = [];
  for (const benchmark of selected) {
    const figures = await benchmark.run(settings, postgres, interruption.signal);
    all.push(figures);
    if (isJson) process.stdout.write(jsonLine(figures));
  }
  if (!isJson) process.stdout.write(tables(all));
  for (const { failure } of all) {
    if (failure === undefined) continue;
    process.stderr.write(`${failure}\n`);
    process.exitCode = 1;
  }
}

async function durablePostgres(): Promise<PostgresServer> {
  process.stderr.write('starting PostgreSQL with fsync on\n');
  const server = await startPostgres({ durable: true });
  if (server !== undefined) return server;
  throw new Error(
    'There is no PostgreSQL for this platform, neither from npm nor installed. Name the benchmarks to run without it, such as: npm run bench -- --only create-sqlite',
  );
}

function readOptions(): { selected: readonly Benchmark[]; settings: RunSettings; isJson: boolean } {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      // Less than the default measures the interpreter: use it to try the benchmarks, not to compare.
      'warm-up-seconds': { type: 'string', default: '8' },
      // Of the benchmark of memory, which lasts as long as they take.
      requests: { type: 'string', default: '100000' },
      workers: { type: 'string', default: String(Math.max(2, availableParallelism())) },
      'core-percent': { type: 'string' },
      // Another checkout, such as the last release with its dependencies installed; see CONTRIBUTING.md.
      baseline: { type: 'string' },
    },
  });
  return {
    selected: values.only === undefined ? benchmarks : values.only.map(benchmarkNamed),
    settings: {
      roundSeconds: count('--seconds', values.seconds),
      rounds: count('--rounds', values.rounds),
      connections: count('--connections', values.connections),
      warmUpSeconds: count('--warm-up-seconds', values['warm-up-seconds']),
      requestCount: count('--requests', values.requests, 9_999_999),
      workers: count('--workers', values.workers),
      baselineFolder: values.baseline,
      corePercent:
        values['core-percent'] === undefined
          ? undefined
          : count('--core-percent', values['core-percent'], 100),
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

function count(option: string, text: string, maximum = 9_999): number {
  const value = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw new Error(`${option} must be a whole number from 1 to ${maximum}, and is "${text}".`);
}
