import { median } from '../compare.ts';
import type { Engine } from '../database.ts';
import { startPresetd, startUpstream } from '../server-process.ts';
import { type LoadClient, openLoadClient, type Slice } from './load-client.ts';
import type { Operation } from './operations.ts';
import type { Size } from './population.ts';
import { warmPageCache } from './warm-page-cache.ts';

/** A database that is ready to be measured. */
export interface FilledDatabase {
  readonly url: string;
  readonly size: Size;
  /** The database's processes; empty for SQLite, which runs inside the server. */
  readonly processIds: readonly number[];
  /** Its file or folder. */
  readonly path: string;
}

/** How long to load each database. */
export interface ScaleSettings {
  readonly slices: number;
  readonly sliceMs: number;
  readonly connections: number;
}

/** The result for one operation on one engine. */
export interface ScaleRow {
  readonly engine: Engine;
  readonly operation: Operation;
  /** Response times in milliseconds: medians of all slices. */
  readonly smallMs: number;
  readonly largeMs: number;
  /**
   * How much longer a request takes on the large database: the median ratio of neighboring slices.
   */
  readonly ratio: number;
  /** The first and third quartile of those ratios. */
  readonly ratioQuartiles: readonly [low: number, high: number];
  /** The same for the CPU time of server and database; NaN where it is unknown. */
  readonly cpuRatio: number;
}

/**
 * Starts a server on each of two databases and loads them in alternating slices of time, so that
 * whatever else happens on the machine affects both.
 */
export async function measureScale(
  engine: Engine,
  operations: readonly Operation[],
  databases: { readonly small: FilledDatabase; readonly large: FilledDatabase },
  settings: ScaleSettings,
  interruption: AbortSignal,
): Promise<readonly ScaleRow[]> {
  await using started = new AsyncDisposableStack();
  const upstream = started.adopt(await startUpstream('whole'), (server) => server.stop());
  const startClient = async (
    { url, processIds }: FilledDatabase,
    cache: Operation['cache'],
  ): Promise<LoadClient> => {
    const server = await startPresetd(url, {
      PRESETD_UPSTREAM_URL: `${upstream.url}/v1`,
      OPENROUTER_API_KEY: 'upstream-key',
      ...(cache === 'off' && { PRESETD_PRESET_CACHE_SIZE: '1KiB' }),
    });
    started.defer(() => server.stop());
    return started.adopt(
      await openLoadClient(server.url, settings.connections, [server.processId, ...processIds]),
      (client) => client.close(),
    );
  };
  const rows: ScaleRow[] = [];
  for (const cache of ['off', 'on'] as const) {
    const selected = operations.filter((operation) => operation.cache === cache);
    if (selected.length === 0) continue;
    const [small, large] = await Promise.all([
      startClient(databases.small, cache),
      startClient(databases.large, cache),
    ]);
    for (const operation of selected) {
      interruption.throwIfAborted();
      const runSmall = sliceRunner(small, operation, databases.small.size);
      const runLarge = sliceRunner(large, operation, databases.large.size);
      const slices = operation.isSlow ? Math.min(slowSlices, settings.slices) : settings.slices;
      // Before each operation: the system may have evicted files that were not read for a while.
      await warmPageCache([databases.large.path]);
      const row = await alternateSlices(runSmall, runLarge, { ...settings, slices }, interruption);
      rows.push({ engine, operation, ...row });
      logRow(engine, operation, row);
    }
  }
  return operations.flatMap((operation) => rows.filter((row) => row.operation === operation));
}

/** Sends requests for this long and returns the average cost. */
type RunSlice = (milliseconds: number) => Promise<Slice>;

/** Continues the operation's sequence of requests from slice to slice. */
function sliceRunner(client: LoadClient, { request, isSlow }: Operation, size: Size): RunSlice {
  let iteration = 0;
  const next = () => {
    iteration += 1;
    return request(iteration, size);
  };
  return (milliseconds) => client.run(milliseconds, next, isSlow ? 1 : undefined);
}

/** Alternates slices on the small and the large database and compares neighbors. */
async function alternateSlices(
  runSmall: RunSlice,
  runLarge: RunSlice,
  { slices, sliceMs }: ScaleSettings,
  interruption: AbortSignal,
): Promise<Omit<ScaleRow, 'engine' | 'operation'>> {
  for (const runSlice of [runSmall, runLarge]) await runSlice(warmUpSlices * sliceMs);
  const pairs: { small: Slice; large: Slice }[] = [];
  for (let slice = 0; slice < slices; slice += 1) {
    interruption.throwIfAborted();
    // Each database goes first in half of the pairs.
    if (slice % 2 === 0) pairs.push({ small: await runSmall(sliceMs), large: await runLarge(sliceMs) });
    else {
      const large = await runLarge(sliceMs);
      pairs.push({ small: await runSmall(sliceMs), large });
    }
  }
  const ratios = pairs.map(({ small, large }) => large.ms / small.ms).toSorted((a, b) => a - b);
  const quantile = (part: number) => ratios[Math.floor(part * (ratios.length - 1))] ?? Number.NaN;
  return {
    smallMs: median(pairs.map(({ small }) => small.ms)),
    largeMs: median(pairs.map(({ large }) => large.ms)),
    ratio: median(ratios),
    ratioQuartiles: [quantile(0.25), quantile(0.75)],
    cpuRatio: median(pairs.map(({ small, large }) => large.cpuMs / small.cpuMs)),
  };
}

/** Warm-up, in multiples of a slice. */
const warmUpSlices = 4;

/** Slices for slow operations, where one request may take seconds. */
const slowSlices = 6;

function logRow(engine: Engine, { name }: Operation, row: Omit<ScaleRow, 'engine' | 'operation'>): void {
  const { smallMs, largeMs, ratio, ratioQuartiles, cpuRatio } = row;
  const [low, high] = ratioQuartiles.map((value) => value.toFixed(2));
  process.stderr.write(
    `${engine} ${name}: ${smallMs.toFixed(3)} ms, ${largeMs.toFixed(3)} ms, ratio ${ratio.toFixed(2)} (${low} to ${high}), CPU ratio ${cpuRatio.toFixed(2)}\n`,
  );
}
