import { createHistogram } from 'node:perf_hooks';
import { applyLoad, type LoadRequest, type Round } from './load.ts';
import { processorMs } from './processor-time.ts';
import type { ServerProcess } from './server-process.ts';

export interface LoadSettings {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly roundSeconds: number;
  readonly rounds: number;
  /** Another checkout of presetd to run beside this one; undefined for none. */
  readonly baselineFolder?: string | undefined;
}

/** A server, and the requests that make it do the same work as the others. */
export interface Peer {
  readonly server: ServerProcess;
  /** Shared out among the connections, each of which cycles through its own part. */
  readonly requests: readonly LoadRequest[];
}

/** One server under load: medians over the rounds, latencies over all of them. */
export interface PeerFigures {
  readonly rps: number;
  /** Processor time per request, of the server and the processes it started; not a number outside Linux. */
  readonly cpuMicroseconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The subject beside another server; above 1 the subject is better. Medians of the ratios within each round. */
export interface Beside extends PeerFigures {
  readonly throughputRatio: number;
  readonly cpuRatio: number;
}

export interface Comparison {
  readonly name: string;
  readonly subject: PeerFigures;
  readonly beside: Readonly<Record<string, Beside>>;
}

interface MeasuredRound extends Round {
  readonly cpuMicroseconds: number;
}

/**
 * Loads a server and those beside it, one at a time. Rounds alternate, so that whatever else happens on the machine
 * affects all of them, and ratios are taken within a round. Throughput still depends on what the load generator and
 * others leave of the cores; the processor time of a request hardly does, so decide by that.
 */
export async function compare(
  name: string,
  subject: Peer,
  others: Readonly<Record<string, Peer>>,
  settings: LoadSettings,
  interruption: AbortSignal,
  afterWarmUp: () => void = () => {},
): Promise<Comparison> {
  const note = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const mine: MeasuredRound[] = [];
  const runs = [
    { label: '', peer: subject, rounds: mine },
    ...Object.entries(others).map(([label, peer]) => ({ label, peer, rounds: [] as MeasuredRound[] })),
  ];
  for (const { peer } of runs) {
    note(`warming up ${peer.server.name} for ${settings.warmUpSeconds} s`);
    await measureRound(peer, settings.connections, settings.warmUpSeconds, interruption);
  }
  afterWarmUp();
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const { peer, rounds } of runs)
      rounds.push(await measureRound(peer, settings.connections, settings.roundSeconds, interruption));
    const figures = runs.map(({ label, rounds }) => describeRound(label, rounds.at(-1)));
    note(`round ${round} of ${settings.rounds}: ${figures.join(', ')}`);
  }
  const beside = Object.fromEntries(
    runs.slice(1).map(({ label, rounds }) => [label, besideOf(mine, rounds)]),
  );
  return { name, subject: figuresOf(mine), beside };
}

async function measureRound(
  { server, requests }: Peer,
  connections: number,
  durationSeconds: number,
  interruption: AbortSignal,
): Promise<MeasuredRound> {
  const before = processorMs([server.processId]);
  const load = { url: server.url, requests, connections, until: { durationSeconds } };
  const round = await applyLoad(load, interruption);
  const usedMs = processorMs([server.processId]) - before;
  // Zero is what a system says that does not count it.
  return { ...round, cpuMicroseconds: usedMs === 0 ? Number.NaN : (usedMs * 1_000) / round.requestCount };
}

function figuresOf(rounds: readonly MeasuredRound[]): PeerFigures {
  const latencies = createHistogram();
  for (const round of rounds) latencies.add(round.latenciesMicroseconds);
  return {
    rps: median(rounds.map(({ rps }) => rps)),
    cpuMicroseconds: median(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    p50Ms: latencies.percentile(50) / 1_000,
    p99Ms: latencies.percentile(99) / 1_000,
  };
}

function besideOf(subject: readonly MeasuredRound[], other: readonly MeasuredRound[]): Beside {
  const ratios = (ratio: (mine: MeasuredRound, theirs: MeasuredRound) => number) =>
    median(subject.flatMap((mine, index) => (other[index] === undefined ? [] : [ratio(mine, other[index])])));
  return {
    ...figuresOf(other),
    throughputRatio: ratios((mine, theirs) => mine.rps / theirs.rps),
    cpuRatio: ratios((mine, theirs) => theirs.cpuMicroseconds / mine.cpuMicroseconds),
  };
}

function describeRound(label: string, round: MeasuredRound | undefined): string {
  const { rps = Number.NaN, cpuMicroseconds = Number.NaN } = round ?? {};
  const figures = `${rps.toFixed(0)} requests/s at ${cpuMicroseconds.toFixed(0)} µs`;
  return `${label} ${figures}`.trimStart();
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
