import { type CallRecord, type Cost, hourOf } from './call-record.ts';
import { formatDuration } from './durations.ts';

/** The length in hours of the periods that calls are counted in. Days make months fast to chart. */
export const resolutions = [1, 24] as const;
export type Resolution = (typeof resolutions)[number];

/** Numbers of a group of calls in a period, each with what one call adds. They can be summed. */
const addends = {
  calls: () => 1,
  /** Calls with tokens that are partly estimated. */
  estimatedCalls: ({ isEstimated }) => Number(isEstimated),
  /** Calls whose cost is not known. */
  unpricedCalls: ({ cost }) => Number(cost.nanos === null),
  /** Calls that cost nothing. */
  freeCalls: ({ cost }) => Number(cost.nanos === 0),
  streamedCalls: ({ isStreamed }) => Number(isStreamed),
  inputTokens: ({ tokens }) => tokens.input ?? 0,
  cachedTokens: ({ tokens }) => tokens.cached ?? 0,
  cacheWriteTokens: ({ tokens }) => tokens.cacheWrite ?? 0,
  outputTokens: ({ tokens }) => tokens.output ?? 0,
  reasoningTokens: ({ tokens }) => tokens.reasoning ?? 0,
  costNanos: ({ cost }) => cost.nanos ?? 0,
  totalMs: ({ totalMs }) => Math.round(totalMs),
} as const satisfies Readonly<Record<string, (record: CallRecord) => number>>;

export type SumField = keyof typeof addends;
export const sumFields = Object.keys(addends) as readonly SumField[];
export type CallSums = Readonly<Record<SumField, number>>;

/** A number for each field. */
export function sumsOf(numberOf: (field: SumField) => number): CallSums {
  return Object.fromEntries(sumFields.map((field) => [field, numberOf(field)])) as Record<SumField, number>;
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
  const hours = new Hours();
  for (const [groupId, record] of calls) {
    const total = hours.totalOf(groupId, record.id);
    for (const field of sumFields) total[field] += addends[field](record);
    total.durations += formatDuration(record.totalMs);
    if (record.firstTokenMs !== null) total.firstTokenDurations += formatDuration(record.firstTokenMs);
  }
  return hours.withDays();
}

/** A call whose cost changes. */
export interface CostChange {
  readonly call: Pick<CallRecord, 'id' | 'cost'> & { readonly groupId: number };
  readonly cost: Cost;
}

/** Returns what to add to the sums of calls if these costs change. */
export function rollUpCosts(changes: readonly CostChange[]): readonly CallTotal[] {
  const hours = new Hours();
  for (const { call, cost } of changes) {
    const total = hours.totalOf(call.groupId, call.id);
    total.unpricedCalls += Number(cost.nanos === null) - Number(call.cost.nanos === null);
    total.freeCalls += Number(cost.nanos === 0) - Number(call.cost.nanos === 0);
    total.costNanos += (cost.nanos ?? 0) - (call.cost.nanos ?? 0);
  }
  return hours.withDays();
}

/** The sums of groups by hour, while calls are added to them. */
class Hours {
  readonly #totals = new Map<string, Writable<CallTotal>>();

  /** The sums that a call belongs to. */
  totalOf(groupId: number, callId: string): Writable<CallTotal> {
    return totalAt(this.#totals, { resolution: 1, groupId, start: hourOf(callId) });
  }

  /**
   * The same sums by day, too. Rows are sorted, so that processes that write the same rows lock
   * them in the same order.
   */
  withDays(): readonly CallTotal[] {
    const days = new Map<string, Writable<CallTotal>>();
    for (const hour of this.#totals.values()) {
      const { groupId, start } = hour;
      const day = totalAt(days, { resolution: 24, groupId, start: start - (start % 24) });
      for (const field of sumFields) day[field] += hour[field];
      day.durations += hour.durations;
      day.firstTokenDurations += hour.firstTokenDurations;
    }
    return [...sorted(this.#totals), ...sorted(days)];
  }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function totalAt(totals: Map<string, Writable<CallTotal>>, period: Period): Writable<CallTotal> {
  const key = `${period.groupId} ${period.start}`;
  let total = totals.get(key);
  if (total === undefined) {
    total = { ...period, ...noCounts };
    totals.set(key, total);
  }
  return total;
}

function sorted(totals: ReadonlyMap<string, CallTotal>): readonly CallTotal[] {
  return [...totals.keys()].toSorted().map((key) => totals.get(key) as CallTotal);
}

const noCounts = { ...sumsOf(() => 0), durations: '', firstTokenDurations: '' };
