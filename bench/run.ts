import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { create } from './create.ts';
import type { Engine } from './database.ts';
import { prepareGateways } from './gateway-peers.ts';
import { getPreset } from './get-preset.ts';
import { measure, startOn, type Workload } from './measure.ts';
import { measureGateway } from './measure-gateway.ts';
import { measureGatewayLatency } from './measure-gateway-latency.ts';
import { measureGatewayMemory } from './measure-gateway-memory.ts';
import { measureSignedInGet } from './measure-signed-in-get.ts';
import { measureStart } from './measure-start.ts';
import { measureTranslation } from './measure-translation.ts';
import { measureVariables } from './measure-variables.ts';
import { measureWorkers, type StartServer, type WorkersSettings } from './measure-workers.ts';
import { membersList } from './members-list.ts';
import {
  comparisonFigures,
  type Figures,
  jsonLine,
  latencyFigures,
  memoryFigures,
  startFigures,
  tables,
} from './report.ts';
import { startPresetd } from './server-process.ts';
import { smallGet } from './small-get.ts';

/** A benchmark that `--only` can select by name. */
interface Benchmark {
  readonly name: string;
  readonly needsPostgres: boolean;
  /** Starts its servers, measures and stops them again. Rejects when the signal aborts it. */
  run(settings: RunSettings, postgres: PostgresServer | undefined, signal: AbortSignal): Promise<Figures>;
}

/** The options that benchmarks get; each uses what applies to it. */
interface RunSettings extends WorkersSettings {
  /** For the memory benchmark. */
  readonly requestCount: number;
}

/** Every benchmark, in the order in which they run. Targets are ratios of CPU time. */
const benchmarks: readonly Benchmark[] = [
  {
    name: 'start',
    needsPostgres: false,
    run: async (settings, _postgres, signal) =>
      startFigures(await measureStart('start', settings, signal), 140),
  },
  ...[create, getPreset, smallGet, membersList].flatMap((workload) => [
    againstBareServer(workload, 'sqlite'),
    againstBareServer(workload, 'postgres'),
  ]),
  {
    name: 'signed-in-get',
    needsPostgres: false,
    // On the same path, a session costs at most two thirds more than a key.
    run: async (settings, _postgres, signal) =>
      comparisonFigures(await measureSignedInGet('signed-in-get', settings, signal), { route: 0.6 }),
  },
  inFrontOfUpstream('gateway', async (name, settings, signal) =>
    comparisonFigures(await measureGateway(name, 'whole', settings, signal), { bare: 0.5, portkey: 3 }),
  ),
  inFrontOfUpstream('gateway-stream', async (name, settings, signal) =>
    comparisonFigures(await measureGateway(name, 'stream', settings, signal), { bare: 0.7, portkey: 3 }),
  ),
  inFrontOfUpstream('gateway-variables', async (name, settings, signal) =>
    // At most 15 % more CPU time than without variables.
    comparisonFigures(await measureVariables(name, settings, signal), { plain: 0.87 }),
  ),
  ...(['whole', 'stream'] as const).map((mode) =>
    inFrontOfUpstream(
      mode === 'whole' ? 'gateway-translation' : 'gateway-translation-stream',
      async (name, settings, signal) =>
        // At most 2.5 times the CPU time of a call that is passed through.
        comparisonFigures(await measureTranslation(name, mode, settings, signal), {
          passed: 0.4,
          litellm: 20,
        }),
    ),
  ),
  inFrontOfUpstream('gateway-latency', async (name, settings, signal) =>
    latencyFigures(await measureGatewayLatency(name, settings, signal)),
  ),
  inFrontOfUpstream('gateway-memory', async (name, settings, signal) =>
    memoryFigures(await measureGatewayMemory(name, settings.requestCount, settings, signal)),
  ),
  ...[create, getPreset].flatMap((workload) => [
    withWorkers(workload, 'sqlite'),
    withWorkers(workload, 'postgres'),
  ]),
  inFrontOfUpstream('workers-gateway', async (name, settings, signal) => {
    const start: StartServer = async (started, environment) =>
      (await prepareGateways(started, 'whole')).presetd(environment);
    return comparisonFigures(await measureWorkers(name, start, settings, signal));
  }),
];

try {
  const options = readOptions();
  await run(options.selected, options.settings, options.isJson);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** A workload on one engine, compared with the bare server. */
function againstBareServer(workload: Workload, engine: Engine): Benchmark {
  const name = `${workload.name}-${engine}`;
  return {
    name,
    needsPostgres: engine === 'postgres',
    run: async (settings, postgres, signal) =>
      comparisonFigures(await measure(name, workload, { engine, postgres }, settings, signal), {
        bare: workload.target,
      }),
  };
}

/** A workload on one engine, with several workers compared with one. */
function withWorkers(workload: Workload, engine: Engine): Benchmark {
  const name = `workers-${workload.name}-${engine}`;
  return {
    name,
    needsPostgres: engine === 'postgres',
    async run(settings, postgres, signal) {
      const start: StartServer = async (started, environment) => {
        const database = `workers_${environment.PRESETD_WORKERS}`;
        const server = await startOn(started, { engine, postgres }, database, (url) =>
          startPresetd(url, environment),
        );
        return { server, requests: workload.requests };
      };
      return comparisonFigures(await measureWorkers(name, start, settings, signal));
    },
  };
}

/** A benchmark of the gateway. Calls do not reach the database, so one engine is enough. */
function inFrontOfUpstream(
  name: string,
  run: (name: string, settings: RunSettings, signal: AbortSignal) => Promise<Figures>,
): Benchmark {
  return { name, needsPostgres: false, run: (settings, _postgres, signal) => run(name, settings, signal) };
}

/**
 * Runs the benchmarks one after the other, so that they do not compete for the machine. A missed
 * target sets the exit code, but does not stop the others.
 */
async function run(selected: readonly Benchmark[], settings: RunSettings, isJson: boolean): Promise<void> {
  const interruption = new AbortController();
  // Once: a second Ctrl-C ends the process without waiting for the servers to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interruption.abort(new Error(`Stopped by ${signal}.`)));
  }
  await using started = new AsyncDisposableStack();
  const postgres = selected.some(({ needsPostgres }) => needsPostgres)
    ? await startDurablePostgres()
    : undefined;
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

/** With fsync on, as in production; tests turn it off. */
async function startDurablePostgres(): Promise<PostgresServer> {
  process.stderr.write('starting PostgreSQL with fsync on\n');
  const server = await startPostgres({ durable: true });
  if (server !== undefined) return server;
  throw new Error(
    'No PostgreSQL found, neither from npm nor installed. Select benchmarks that do not need it, for example: npm run bench -- --only create-sqlite',
  );
}

/** Parses the command-line options. With the defaults, a full run takes some minutes. */
function readOptions(): { selected: readonly Benchmark[]; settings: RunSettings; isJson: boolean } {
  const { values } = parseArgs({
    options: {
      // One JSON object per line on standard output instead of tables.
      json: { type: 'boolean', default: false },
      // The names of the benchmarks to run; all of them without it.
      only: { type: 'string', multiple: true },
      // The length of a round for each server, and how many rounds there are.
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      // A shorter warm-up measures the interpreter: use it to try the benchmarks, not to compare.
      'warm-up-seconds': { type: 'string', default: '8' },
      // For the memory benchmark, which lasts as long as they take.
      requests: { type: 'string', default: '100000' },
      // The worker processes to compare with one, and the share of a core that each of them may
      // use.
      workers: { type: 'string', default: String(Math.max(2, availableParallelism())) },
      'core-percent': { type: 'string' },
      // Another checkout with its dependencies installed, measured in the same run.
      baseline: { type: 'string' },
    },
  });
  return {
    selected: values.only === undefined ? benchmarks : values.only.map(findBenchmark),
    settings: {
      roundSeconds: parseCount('--seconds', values.seconds),
      rounds: parseCount('--rounds', values.rounds),
      connections: parseCount('--connections', values.connections),
      warmUpSeconds: parseCount('--warm-up-seconds', values['warm-up-seconds']),
      requestCount: parseCount('--requests', values.requests, 9_999_999),
      workers: parseCount('--workers', values.workers),
      baselineFolder: values.baseline,
      corePercent:
        values['core-percent'] === undefined
          ? undefined
          : parseCount('--core-percent', values['core-percent'], 100),
    },
    isJson: values.json,
  };
}

function findBenchmark(name: string): Benchmark {
  const found = benchmarks.find((benchmark) => benchmark.name === name);
  if (found !== undefined) return found;
  const names = benchmarks.map((benchmark) => benchmark.name).join(', ');
  throw new Error(`Unknown benchmark "${name}". Choose from: ${names}.`);
}

function parseCount(option: string, text: string, maximum = 9_999): number {
  const value = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw new Error(`${option} must be an integer from 1 to ${maximum}, not "${text}".`);
}
