import { type Comparison, compare, type LoadSettings, type Peer } from './compare.ts';
import { limitEach, servingProcesses } from './cpu-limit.ts';

export interface WorkersSettings extends LoadSettings {
  readonly workers: number;
  /** What each process may have of a core. Undefined where they have what there is. */
  readonly corePercent: number | undefined;
}

/** Starts the server with these settings beside the default ones. */
export type WorkersStart = (
  started: AsyncDisposableStack,
  environment: Readonly<Record<string, string>>,
) => Promise<Peer>;

/**
 * Compares several worker processes with a single one. Requests per second cannot grow with the workers while the load
 * comes from the same cores; processor time per request tells what they would bring on cores of their own.
 */
export async function measureWorkers(
  name: string,
  start: WorkersStart,
  settings: WorkersSettings,
  interruption: AbortSignal,
): Promise<Comparison<'one'>> {
  const { workers, corePercent } = settings;
  // Disposed of last: a group can be removed when its process has ended.
  await using groups = new AsyncDisposableStack();
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing a server of one process and one of ${workers}\n`);
  const one = await start(started, { PRESETD_WORKERS: '1' });
  const all = await start(started, { PRESETD_WORKERS: String(workers) });
  const connections = settings.connections * (corePercent === undefined ? 1 : workers);
  return await compare(name, all, { one }, { ...settings, connections }, interruption, () => {
    // Not earlier: in the same time, a part of a core would compile less of the one process than of the many.
    if (corePercent === undefined) return;
    for (const { server } of [one, all]) limitEach(servingProcesses(server.processId), corePercent, groups);
  });
}
