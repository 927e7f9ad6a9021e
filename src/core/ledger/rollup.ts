import { type CallRecord, type Cost, hourOf } from './call-record.ts';
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

/** Counts calls by group and period. */
export function rollUp(calls: readonly GroupedCall[]): readonly CallTotal[] {
  return sumUp(calls.map(([groupId, record]) => ({ id: record.id, groupId, added: countsOf(record) })));
}

/** A call that gets another cost than it had. */
export interface CostChange {
  readonly call: Pick<CallRecord, 'id' | 'cost'> & { readonly groupId: number };
  readonly cost: Cost;
}

/** What has to be added to the sums of calls if these costs change. */
export function rollUpCosts(changes: readonly CostChange[]): readonly CallTotal[] {
  return sumUp(
    changes.map(({ call: { id, groupId, cost: before }, cost: after }) => {
      const unpricedCalls = Number(after.nanos === null) - Number(before.nanos === null);
      const costNanos = (after.nanos ?? 0) - (before.nanos ?? 0);
      return { id, groupId, added: { ...noCounts, unpricedCalls, costNanos } };
    }),
  );
}

/** What is added to the rows of a group. */
type Counts = Omit<CallTotal, keyof Period>;

interface Addition {
  /** Of the call. */
  readonly id: string;
  readonly groupId: number;
  readonly added: Counts;
}

/** Rows are sorted, so that processes that write the same rows lock them in the same order. */
function sumUp(additions: readonly Addition[]): readonly CallTotal[] {
  const totals = new Map<string, Writable<CallTotal>>();
  for (const { id, groupId, added } of additions) {
    const hour = hourOf(id);
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

const noCounts: Counts = {
  calls: 0,
  estimatedCalls: 0,
  unpricedCalls: 0,
  streamedCalls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  costNanos: 0,
  totalMs: 0,
  durations: '',
  firstTokenDurations: '',
};

function countsOf(record: CallRecord): Counts {
  const { tokens, cost, isEstimated, isStreamed, totalMs, firstTokenMs } = record;
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
    durations: formatDuration(totalMs),
    firstTokenDurations: firstTokenMs === null ? '' : formatDuration(firstTokenMs),
  };
}

function addTo(total: Writable<CallTotal>, { durations, firstTokenDurations, ...sums }: Counts): void {
  for (const name of Object.keys(sums) as (keyof CallSums)[]) total[name] += sums[name];
  total.durations += durations;
  total.firstTokenDurations += firstTokenDurations;
}
