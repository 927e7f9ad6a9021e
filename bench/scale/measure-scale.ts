import { median } from '../compare.ts';
import type { Engine } from '../database.ts';
import { startPresetd, startUpstream } from '../server-process.ts';
import type { Operation } from './operations.ts';
import type { Size } from './population.ts';
import { readThrough } from './warm-page-cache.ts';
import { type Asker, openAsker, type Slice } from './load-client.ts';

export interface FilledDatabase {
  readonly url: string;
  readonly size: Size;
  /** Of the database, where it is not in the server. */
  readonly processIds: readonly number[];
  /** The file or the folder that it is in. */
  readonly path: string;
}

export interface ScaleSettings {
  readonly slices: number;
  readonly sliceMs: number;
  readonly connections: number;
}

export interface ScaleRow {
  readonly engine: Engine;
  readonly operation: Operation;
  /** Of a request, the middle of all slices. */
  readonly smallMs: number;
  readonly largeMs: number;
  /** How much more a request takes on the large database: the middle of the ratios of neighbouring slices. */
  readonly ratio: number;
  /** Between which half of those ratios lies. */
  readonly ratioQuarters: readonly [low: number, high: number];
  /** The same for the time that server and database had a processor; not a number where that is not known. */
  readonly processorRatio: number;
}

/** A server on each of two databases; slices of time go to one and the other in turns, so that what else happens on the machine meets both. */
export async function measureScale(
  engine: Engine,
  operations: readonly Operation[],
  databases: { readonly small: FilledDatabase; readonly large: FilledDatabase },
  settings: ScaleSettings,
  interruption: AbortSignal,
): Promise<readonly ScaleRow[]> {
  await using started = new AsyncDisposableStack();
  const upstream = started.adopt(await startUpstream('whole'), (server) => server.stop());
  const askerOf = async (
    { url, processIds }: FilledDatabase,
    memory: Operation['memory'],
  ): Promise<Asker> => {
    const server = await startPresetd(url, {
      PRESETD_UPSTREAM_URL: `${upstream.url}/v1`,
      OPENROUTER_API_KEY: 'upstream-key',
      ...(memory === 'none' && { PRESETD_PRESET_CACHE_SIZE: '1KiB' }),
    });
    started.defer(() => server.stop());
    return started.adopt(
      await openAsker(server.url, settings.connections, [server.processId, ...processIds]),
      (asker) => asker.close(),
    );
  };
  const rows: ScaleRow[] = [];
  for (const memory of ['none', 'presets'] as const) {
    const asked = operations.filter((operation) => operation.memory === memory);
    if (asked.length === 0) continue;
    const [small, large] = await Promise.all([
      askerOf(databases.small, memory),
      askerOf(databases.large, memory),
    ]);
    for (const operation of asked) {
      interruption.throwIfAborted();
      const askSmall = slicesOf(small, operation, databases.small.size);
      const askLarge = slicesOf(large, operation, databases.large.size);
      const slices = operation.isSlow ? Math.min(slowSlices, settings.slices) : settings.slices;
      // Before each of them: a system may take memory back from files that are not read for a while.
      await readThrough([databases.large.path]);
      const row = await inTurns(askSmall, askLarge, { ...settings, slices }, interruption);
      rows.push({ engine, operation, ...row });
      note(engine, operation, row);
    }
  }
  return operations.flatMap((operation) => rows.filter((row) => row.operation === operation));
}

type AskSlice = (milliseconds: number) => Promise<Slice>;

function slicesOf(asker: Asker, { request, isSlow }: Operation, size: Size): AskSlice {
  let turn = 0;
  const next = () => {
    turn += 1;
    return request(turn, size);
  };
  return (milliseconds) => asker.ask(milliseconds, next, isSlow ? 1 : undefined);
}

async function inTurns(
  askSmall: AskSlice,
  askLarge: AskSlice,
  { slices, sliceMs }: ScaleSettings,
  interruption: AbortSignal,
): Promise<Omit<ScaleRow, 'engine' | 'operation'>> {
  for (const ask of [askSmall, askLarge]) await ask(warmUpSlices * sliceMs);
  const pairs: { small: Slice; large: Slice }[] = [];
  for (let slice = 0; slice < slices; slice += 1) {
    interruption.throwIfAborted();
    // Each is the first of a pair as often as the other.
    if (slice % 2 === 0) pairs.push({ small: await askSmall(sliceMs), large: await askLarge(sliceMs) });
    else {
      const large = await askLarge(sliceMs);
      pairs.push({ small: await askSmall(sliceMs), large });
    }
  }
  const ratios = pairs.map(({ small, large }) => large.ms / small.ms).toSorted((a, b) => a - b);
  const at = (part: number) => ratios[Math.floor(part * (ratios.length - 1))] ?? Number.NaN;
  return {
    smallMs: median(pairs.map(({ small }) => small.ms)),
    largeMs: median(pairs.map(({ large }) => large.ms)),
    ratio: median(ratios),
    ratioQuarters: [at(0.25), at(0.75)],
    processorRatio: median(pairs.map(({ small, large }) => large.processorMs / small.processorMs)),
  };
}

const warmUpSlices = 4;

/** Where one request may take seconds. */
const slowSlices = 6;

function note(engine: Engine, { name }: Operation, row: Omit<ScaleRow, 'engine' | 'operation'>): void {
  const { smallMs, largeMs, ratio, ratioQuarters, processorRatio } = row;
  const [low, high] = ratioQuarters.map((value) => value.toFixed(2));
  process.stderr.write(
    `${engine} ${name}: ${smallMs.toFixed(3)} ms, ${largeMs.toFixed(3)} ms, ratio ${ratio.toFixed(2)} (${low} to ${high}), of the processor ${processorRatio.toFixed(2)}\n`,
  );
}
