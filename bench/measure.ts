import { createHistogram } from 'node:perf_hooks';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { createDatabase, type Engine } from './database.ts';
import { applyLoad, type Load, type LoadRequest, type Round } from './load.ts';
import { type ServerProcess, startBare, startPresetd } from './server-process.ts';

/** What is asked of both servers. */
export interface Question {
  readonly name: string;
  /** Shared out among the connections, each of which goes round its own part. */
  readonly requests: readonly LoadRequest[];
}

export interface LoadSettings {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly roundSeconds: number;
  readonly rounds: number;
}

export interface Row {
  readonly name: string;
  readonly rps: number;
  readonly bareRps: number;
  readonly ratio: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Place {
  readonly engine: Engine;
  /** Undefined when nothing that was selected needs it. */
  readonly postgres: PostgresServer | undefined;
}

/**
 * Runs presetd and the bare server side by side, each on a database of its own, and loads one at a time. Rounds
 * alternate, so that what else happens on the machine meets both; the ratio is the median over neighbouring rounds.
 */
export async function measure(
  name: string,
  question: Question,
  place: Place,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Row> {
  await using started = new AsyncDisposableStack();
  const note = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const load = (server: ServerProcess, durationSeconds: number): Promise<Round> => {
    const { connections } = settings;
    const { requests } = question;
    const request: Load = { url: server.url, requests, connections, until: { durationSeconds } };
    return applyLoad(request, interruption);
  };

  note('preparing two databases and two servers');
  const presetd = await startOn(started, place, 'presetd', startPresetd);
  const bare = await startOn(started, place, 'bare', startBare);
  for (const server of [presetd, bare]) {
    note(`warming up ${server.name} for ${settings.warmUpSeconds} s`);
    await load(server, settings.warmUpSeconds);
  }
  const pairs: { readonly presetd: Round; readonly bare: Round }[] = [];
  for (let round = 1; round <= settings.rounds; round += 1) {
    const pair = {
      presetd: await load(presetd, settings.roundSeconds),
      bare: await load(bare, settings.roundSeconds),
    };
    note(
      `round ${round} of ${settings.rounds}: ${whole(pair.presetd.rps)} requests/s, bare ${whole(pair.bare.rps)}`,
    );
    pairs.push(pair);
  }

  const latencies = createHistogram();
  for (const pair of pairs) latencies.add(pair.presetd.latenciesMicroseconds);
  return {
    name,
    rps: median(pairs.map((pair) => pair.presetd.rps)),
    bareRps: median(pairs.map((pair) => pair.bare.rps)),
    ratio: median(pairs.map((pair) => pair.presetd.rps / pair.bare.rps)),
    p50Ms: latencies.percentile(50) / 1_000,
    p99Ms: latencies.percentile(99) / 1_000,
  };
}

export async function startOn(
  started: AsyncDisposableStack,
  { engine, postgres }: Place,
  name: string,
  start: (databaseUrl: string) => Promise<ServerProcess>,
): Promise<ServerProcess> {
  const database = await createDatabase(engine, postgres, name);
  started.defer(() => database.remove());
  const server = await start(database.url);
  started.defer(() => server.stop());
  return server;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

export function whole(value: number): string {
  return value.toFixed(0);
}
