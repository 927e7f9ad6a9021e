import { createHistogram } from 'node:perf_hooks';
import { applyLoad, type LoadRequest, type Round } from './load.ts';
import { processorMs } from './cpu-time.ts';
import type { ServerProcess } from './server-process.ts';

export interface LoadSettings {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly roundSeconds: number;
  readonly rounds: number;
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

export interface Comparison<Other extends string> {
  readonly name: string;
  readonly subject: PeerFigures;
  readonly beside: Readonly<Record<Other, Beside>>;
}

interface MeasuredRound extends Round {
  readonly cpuMicroseconds: number;
}

/**
 * Loads a server and those beside it, one at a time. Rounds alternate, so that whatever else happens on the machine
 * affects all of them, and ratios are taken within a round. Throughput still depends on what the load generator and
 * others leave of the cores; the processor time of a request hardly does, so decide by that.
 */
export async function compare<Other extends string>(
  name: string,
  subject: Peer,
  others: Readonly<Record<Other, Peer>>,
  settings: LoadSettings,
  interruption: AbortSignal,
  afterWarmUp: () => void = () => {},
): Promise<Comparison<Other>> {
  const note = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const all = { subject, ...others } as Readonly<Record<Other | 'subject', Peer>>;
  const labels = Object.keys(all) as (Other | 'subject')[];
  for (const label of labels) {
    note(`warming up ${all[label].server.name} for ${settings.warmUpSeconds} s`);
    await measureRound(all[label], settings.connections, settings.warmUpSeconds, interruption);
  }
  afterWarmUp();
  const rounds = Object.fromEntries(labels.map((label) => [label, []])) as unknown as Readonly<
    Record<Other | 'subject', MeasuredRound[]>
  >;
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const label of labels)
      rounds[label].push(
        await measureRound(all[label], settings.connections, settings.roundSeconds, interruption),
      );
    note(
      `round ${round} of ${settings.rounds}: ${labels.map((label) => describeRound(label, rounds[label].at(-1))).join(', ')}`,
    );
  }
  const beside = Object.fromEntries(
    labels.slice(1).map((label) => [label, besideOf(rounds.subject, rounds[label])]),
  ) as unknown as Readonly<Record<Other, Beside>>;
  return { name, subject: figuresOf(rounds.subject), beside };
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
  return label === 'subject' ? figures : `${label} ${figures}`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
