import { type CallRecord, hourOf } from './call-record.ts';
import { formatDuration } from './durations.ts';

/** The length of the periods that calls are counted in, in hours. Days make charts of months fast. */
export const resolutions = [1, 24] as const;
export type Resolution = (typeof resolutions)[number];

/** Numbers of a group of calls in a period. All of them can be added up. */
export interface CallSums {
  readonly calls: number;
  /** Calls with tokens that are partly estimated. */
  readonly estimatedCalls: number;
  /** Calls whose cost is not known. */
  readonly unpricedCalls: number;
  readonly streamedCalls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly costNanos: number;
  readonly totalMs: number;
}

interface Period {
  readonly resolution: Resolution;
  /** In hours since 1970, UTC. */
  readonly start: number;
  readonly groupId: number;
}

/** The texts are those of `durations.ts`. */
export interface CallTotal extends Period, CallSums {
  readonly durations: string;
  readonly firstTokenDurations: string;
}

/** A call whose group is known by its number. */
export type GroupedCall = readonly [groupId: number, record: CallRecord];

/**
 * Counts calls by group and period. Rows are sorted, so that processes that write the same rows lock
 * them in the same order.
 */
export function rollUp(calls: readonly GroupedCall[]): readonly CallTotal[] {
  const totals = new Map<string, Writable<CallTotal>>();
  for (const [groupId, record] of calls) {
    const hour = hourOf(record.id);
    const { firstTokenMs } = record;
    const added = {
      ...sumsOf(record),
      durations: formatDuration(record.totalMs),
      firstTokenDurations: firstTokenMs === null ? '' : formatDuration(firstTokenMs),
    };
    for (const resolution of resolutions) {
      const start = hour - (hour % resolution);
      const key = `${resolution} ${groupId} ${start}`;
      const total = totals.get(key);
      if (total === undefined) totals.set(key, { resolution, start, groupId, ...added });
      else addTo(total, added);
    }
  }
  return [...totals.keys()].toSorted().map((key) => totals.get(key) as CallTotal);
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function sumsOf({ tokens, cost, isEstimated, isStreamed, totalMs }: CallRecord): CallSums {
  return {
    calls: 1,
    estimatedCalls: isEstimated ? 1 : 0,
    unpricedCalls: cost.nanos === null ? 1 : 0,
    streamedCalls: isStreamed ? 1 : 0,
    inputTokens: tokens.input ?? 0,
    cachedTokens: tokens.cached ?? 0,
    cacheWriteTokens: tokens.cacheWrite ?? 0,
    outputTokens: tokens.output ?? 0,
    reasoningTokens: tokens.reasoning ?? 0,
    costNanos: cost.nanos ?? 0,
    totalMs: Math.round(totalMs),
  };
}

function addTo(
  total: Writable<CallTotal>,
  { durations, firstTokenDurations, ...sums }: Omit<CallTotal, keyof Period>,
): void {
  for (const name of Object.keys(sums) as (keyof CallSums)[]) total[name] += sums[name];
  total.durations += durations;
  total.firstTokenDurations += firstTokenDurations;
}
