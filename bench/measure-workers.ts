import { type Comparison, compare, type LoadSettings, type Peer } from './compare.ts';
import { limitCpu, servingProcesses } from './cpu-limit.ts';

export interface WorkersSettings extends LoadSettings {
  readonly workers: number;
  /** The share of a core that each process may use; undefined for no limit. */
  readonly corePercent: number | undefined;
}

/** Starts a server with additional settings. `started` stops it. */
export type StartServer = (
  started: AsyncDisposableStack,
  environment: Readonly<Record<string, string>>,
) => Promise<Peer>;

/**
 * Compares several worker processes with a single one. Throughput cannot grow with the workers
 * while the load generator uses the same cores; CPU time per request shows what they would gain on
 * cores of their own.
 */
export async function measureWorkers(
  name: string,
  start: StartServer,
  settings: WorkersSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  const { workers, corePercent } = settings;
  // Declared first, and so disposed of last: a control group can be removed only after its process
  // has exited.
  await using groups = new AsyncDisposableStack();
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing a server of one process and one of ${workers}\n`);
  const one = await start(started, { PRESETD_WORKERS: '1' });
  const all = await start(started, { PRESETD_WORKERS: String(workers) });
  const connections = settings.connections * (corePercent === undefined ? 1 : workers);
  return await compare(name, all, { one }, { ...settings, connections }, interruption, () => {
    // Limit only after the warm-up: with a share of a core, the single process would get less of
    // its code compiled than the many.
    if (corePercent === undefined) return;
    for (const { server } of [one, all]) limitCpu(servingProcesses(server.processId), corePercent, groups);
  });
}
