import { createHistogram } from 'node:perf_hooks';
import { limitEach, servingProcesses } from './core-share.ts';
import type { LoadRequest, Round } from './load.ts';
import { applyLoad } from './load.ts';
import { type LoadSettings, median, whole } from './measure.ts';
import { processorMs } from './processor-time.ts';
import type { ServerProcess } from './server-process.ts';

export interface WorkersRow {
  readonly name: string;
  readonly workers: number;
  readonly oneRps: number;
  readonly allRps: number;
  readonly ratio: number;
  /** Of the processor, for one request; all processes of the server together. */
  readonly oneCpuMicroseconds: number;
  readonly allCpuMicroseconds: number;
  /** How many times as much as they could do with cores of their own, by what a request takes of the processor. */
  readonly cpuRatio: number;
  readonly p99Ms: number;
}

export interface WorkersPeer {
  readonly server: ServerProcess;
  readonly requests: readonly LoadRequest[];
}

/** Starts the server with these settings beside the default ones. */
export type WorkersStart = (
  started: AsyncDisposableStack,
  environment: Readonly<Record<string, string>>,
) => Promise<WorkersPeer>;

interface MeasuredRound extends Round {
  readonly cpuMicroseconds: number;
}

export interface WorkersSettings extends LoadSettings {
  readonly workers: number;
  /** What each process may have of a core. Undefined where they have what there is. */
  readonly corePercent: number | undefined;
}

/**
 * The same server with one process and with several, in turns, under the same load. Where that comes from the same cores, the requests a second
 * cannot grow with the processes; what a request takes of the processor tells what the others would bring, or processes that have a part of a core each.
 */
export async function measureWorkers(
  name: string,
  start: WorkersStart,
  settings: WorkersSettings,
  interruption: AbortSignal,
): Promise<WorkersRow> {
  const { workers, corePercent } = settings;
  // Disposed of last: a group can be removed when its process has ended.
  await using groups = new AsyncDisposableStack();
  await using started = new AsyncDisposableStack();
  const note = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  note(`preparing a server of one process and one of ${workers}`);
  const one = await start(started, { PRESETD_WORKERS: '1' });
  const all = await start(started, { PRESETD_WORKERS: String(workers) });
  const load = async ({ server, requests }: WorkersPeer, durationSeconds: number): Promise<MeasuredRound> => {
    const before = processorMs([server.processId]);
    const connections = settings.connections * (corePercent === undefined ? 1 : workers);
    const round = await applyLoad(
      { url: server.url, requests, connections, until: { durationSeconds } },
      interruption,
    );
    const usedMs = processorMs([server.processId]) - before;
    return { ...round, cpuMicroseconds: (usedMs * 1_000) / (round.rps * durationSeconds) };
  };
  for (const peer of [one, all]) {
    note(`warming up for ${settings.warmUpSeconds} s`);
    await load(peer, settings.warmUpSeconds);
  }
  // Not before: in the same time a part of a core would compile less of the one process than of the many.
  if (corePercent !== undefined)
    for (const { server } of [one, all]) limitEach(servingProcesses(server.processId), corePercent, groups);
  const rounds: { readonly one: MeasuredRound; readonly all: MeasuredRound }[] = [];
  for (let round = 1; round <= settings.rounds; round += 1) {
    const done = { one: await load(one, settings.roundSeconds), all: await load(all, settings.roundSeconds) };
    note(
      `round ${round} of ${settings.rounds}: ${whole(done.one.rps)} requests/s, with ${workers} workers ${whole(done.all.rps)}`,
    );
    rounds.push(done);
  }
  const latencies = createHistogram();
  for (const round of rounds) latencies.add(round.all.latenciesMicroseconds);
  return {
    name,
    workers,
    oneRps: median(rounds.map((round) => round.one.rps)),
    allRps: median(rounds.map((round) => round.all.rps)),
    ratio: median(rounds.map((round) => round.all.rps / round.one.rps)),
    oneCpuMicroseconds: median(rounds.map((round) => round.one.cpuMicroseconds)),
    allCpuMicroseconds: median(rounds.map((round) => round.all.cpuMicroseconds)),
    cpuRatio: median(
      rounds.map((round) => (workers * round.one.cpuMicroseconds) / round.all.cpuMicroseconds),
    ),
    p99Ms: latencies.percentile(99) / 1_000,
  };
}
