import { createHistogram } from 'node:perf_hooks';
import { cpuMs } from './cpu-time.ts';
import { applyLoad, type LoadRequest, type Round } from './load.ts';
import type { ServerProcess } from './server-process.ts';

/** How long and how hard to load each server. */
export interface LoadSettings {
  readonly connections: number;
  /** Load before the first round, so that the servers' code is compiled. */
  readonly warmUpSeconds: number;
  /** How long one round loads each server. */
  readonly roundSeconds: number;
  readonly rounds: number;
  /** Another checkout of presetd to measure in the same run, such as the last release. */
  readonly baselineFolder?: string | undefined;
}

/** A server, and requests that make it do the same work as its peers. */
export interface Peer {
  readonly server: ServerProcess;
  /** Distributed over the connections, each of which cycles through its own list. */
  readonly requests: readonly LoadRequest[];
}

/** One server under load: medians of the rounds, latencies over all rounds. */
export interface PeerFigures {
  readonly rps: number;
  /** CPU time per request, of the server and its child processes; NaN outside Linux. */
  readonly cpuMicroseconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * A peer's figures and how the subject compares: above 1, the subject is better. Ratios are medians
 * of the ratios within each round.
 */
export interface PeerComparison extends PeerFigures {
  readonly throughputRatio: number;
  readonly cpuRatio: number;
}

/** The server under test with each of its peers. */
export interface Comparison {
  readonly name: string;
  readonly subject: PeerFigures;
  readonly peers: Readonly<Record<string, PeerComparison>>;
}

interface MeasuredRound extends Round {
  readonly cpuMicroseconds: number;
}

/**
 * Loads a server and its peers, one at a time. Rounds alternate, so that whatever else happens on
 * the machine affects all of them, and ratios are taken within a round. Throughput still depends on
 * what the load generator and others leave of the cores; CPU time per request hardly does, so
 * decide by that.
 */
export async function compare(
  name: string,
  subject: Peer,
  others: Readonly<Record<string, Peer>>,
  settings: LoadSettings,
  interruption: AbortSignal,
  afterWarmUp: () => void = () => {},
): Promise<Comparison> {
  const log = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const mine: MeasuredRound[] = [];
  const runs = [
    { label: '', peer: subject, rounds: mine },
    ...Object.entries(others).map(([label, peer]) => ({ label, peer, rounds: [] as MeasuredRound[] })),
  ];
  for (const { peer } of runs) {
    log(`warming up ${peer.server.name} for ${settings.warmUpSeconds} s`);
    await measureRound(peer, settings.connections, settings.warmUpSeconds, interruption);
  }
  afterWarmUp();
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const { peer, rounds } of runs)
      rounds.push(await measureRound(peer, settings.connections, settings.roundSeconds, interruption));
    const figures = runs.map(({ label, rounds }) => describeRound(label, rounds.at(-1)));
    log(`round ${round} of ${settings.rounds}: ${figures.join(', ')}`);
  }
  const peers = Object.fromEntries(
    runs.slice(1).map(({ label, rounds }) => [label, compareRounds(mine, rounds)]),
  );
  return { name, subject: figuresOf(mine), peers };
}

/** Loads one server and attributes to the requests the CPU time that it used meanwhile. */
async function measureRound(
  { server, requests }: Peer,
  connections: number,
  durationSeconds: number,
  interruption: AbortSignal,
): Promise<MeasuredRound> {
  const before = cpuMs([server.processId]);
  const load = { url: server.url, requests, connections, until: { durationSeconds } };
  const round = await applyLoad(load, interruption);
  const usedMs = cpuMs([server.processId]) - before;
  // Systems without this accounting report zero.
  return { ...round, cpuMicroseconds: usedMs === 0 ? Number.NaN : (usedMs * 1_000) / round.requestCount };
}

/**
 * Medians of the rounds. Latencies are merged first: a percentile of all requests is not the median
 * of percentiles.
 */
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

/** Compares each round of the subject with the peer's round next to it. */
function compareRounds(subject: readonly MeasuredRound[], other: readonly MeasuredRound[]): PeerComparison {
  const ratios = (ratio: (mine: MeasuredRound, theirs: MeasuredRound) => number) =>
    median(subject.flatMap((mine, index) => (other[index] === undefined ? [] : [ratio(mine, other[index])])));
  return {
    ...figuresOf(other),
    throughputRatio: ratios((mine, theirs) => mine.rps / theirs.rps),
    cpuRatio: ratios((mine, theirs) => theirs.cpuMicroseconds / mine.cpuMicroseconds),
  };
}

/** A progress line; the subject's figures come first, without a label. */
function describeRound(label: string, round: MeasuredRound | undefined): string {
  const { rps = Number.NaN, cpuMicroseconds = Number.NaN } = round ?? {};
  const figures = `${rps.toFixed(0)} requests/s at ${cpuMicroseconds.toFixed(0)} µs`;
  return `${label} ${figures}`.trimStart();
}

/** The mean of the two middle values when their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
