import { type CallRecord, type Cost, hourOf } from './call-record.ts';
import { formatDuration } from './durations.ts';

/** The length of the periods that calls are counted in, in hours. Days make charts of months fast. */
export const resolutions = [1, 24] as const;
export type Resolution = (typeof resolutions)[number];

/** Numbers of a group of calls in a period, each with what a single call adds. All can be added up. */
const addends = {
  calls: () => 1,
  /** Calls with tokens that are partly estimated. */
  estimatedCalls: ({ isEstimated }) => Number(isEstimated),
  /** Calls whose cost is not known. */
  unpricedCalls: ({ cost }) => Number(cost.nanos === null),
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

const noCounts: Counts = { ...sumsOf(() => 0), durations: '', firstTokenDurations: '' };

function countsOf(record: CallRecord): Counts {
  const { totalMs, firstTokenMs } = record;
  return {
    ...sumsOf((field) => addends[field](record)),
    durations: formatDuration(totalMs),
    firstTokenDurations: firstTokenMs === null ? '' : formatDuration(firstTokenMs),
  };
}

function addTo(total: Writable<CallTotal>, { durations, firstTokenDurations, ...sums }: Counts): void {
  for (const name of sumFields) total[name] += sums[name];
  total.durations += durations;
  total.firstTokenDurations += firstTokenDurations;
}
