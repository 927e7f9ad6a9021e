import { arrivalOf, type CallRecord } from './call-record.ts';
import { bucketOf } from './latency-bucket.ts';

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

export interface CallTotal extends Period, CallSums {}

/** How many calls of a group took about as long. */
export interface LatencyCount extends Period {
  readonly measure: LatencyMeasure;
  readonly bucket: number;
  readonly calls: number;
}

/** The numbers are stored. */
export const latencyMeasures = { total: 1, firstToken: 2 } as const;
export type LatencyMeasure = (typeof latencyMeasures)[keyof typeof latencyMeasures];

export interface Rollup {
  readonly totals: readonly CallTotal[];
  readonly latencies: readonly LatencyCount[];
}

/** A call whose group is known by its number. */
export type GroupedCall = readonly [groupId: number, record: CallRecord];

const hourMs = 3_600_000;

/**
 * Counts calls by group and period. Rows are sorted, so that processes that write the same rows lock
 * them in the same order.
 */
export function rollUp(calls: readonly GroupedCall[]): Rollup {
  const totals = new Map<string, Writable<CallTotal>>();
  const latencies = new Map<string, Writable<LatencyCount>>();
  for (const [groupId, record] of calls) {
    const hour = Math.floor(arrivalOf(record.id) / hourMs);
    for (const resolution of resolutions) {
      const period = { resolution, start: hour - (hour % resolution), groupId };
      const key = `${resolution} ${groupId} ${period.start}`;
      const total = totals.get(key);
      if (total === undefined) totals.set(key, { ...period, ...sumsOf(record) });
      else addTo(total, sumsOf(record));
      for (const [measure, ms] of durationsOf(record)) {
        const bucket = bucketOf(ms);
        const bucketKey = `${key} ${measure} ${bucket}`;
        const count = latencies.get(bucketKey);
        if (count === undefined) latencies.set(bucketKey, { ...period, measure, bucket, calls: 1 });
        else count.calls += 1;
      }
    }
  }
  return { totals: sorted(totals), latencies: sorted(latencies) };
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

function addTo(total: Writable<CallSums>, sums: CallSums): void {
  for (const name of Object.keys(sums) as (keyof CallSums)[]) total[name] += sums[name];
}

function durationsOf({ totalMs, firstTokenMs }: CallRecord): readonly (readonly [LatencyMeasure, number])[] {
  const total = [latencyMeasures.total, totalMs] as const;
  return firstTokenMs === null ? [total] : [total, [latencyMeasures.firstToken, firstTokenMs]];
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): readonly Row[] {
  const keys = [...rows.keys()].toSorted();
  return keys.map((key) => rows.get(key) as Row);
}
