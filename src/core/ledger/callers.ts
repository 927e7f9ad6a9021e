import type { UsageDimensionName, UsageMetricName } from './usage-catalog.ts';

/** Who calls a preset, for people who are about to change what its calls get. */

/** Days to look at, one after the other, until there are calls. */
export const callerDays = [7, 30] as const;

const dayMs = 86_400_000;

/** The last days with today, in UTC, in which calls are counted. */
export function lastDays(days: number, now: number): { readonly start: string; readonly end: string } {
  const today = Math.floor(now / dayMs) * dayMs;
  const start = today - (days - 1) * dayMs;
  return { start: new Date(start).toISOString(), end: new Date(now).toISOString() };
}

/** Calls of a preset, or of all presets, without runs in the workbench. */
export function productionCalls(presetId?: string) {
  const isCall = { field: 'purpose', operator: 'eq', value: 'call' } as const;
  return presetId === undefined
    ? [isCall]
    : [isCall, { field: 'preset', operator: 'eq', value: presetId } as const];
}

/** For `POST /analytics/query`. */
export function callersQuery(presetId: string, days: number, now: number) {
  return {
    metrics: ['request_count'] satisfies UsageMetricName[] as 'request_count'[],
    dimensions: ['api_key_id', 'selection', 'label'] satisfies UsageDimensionName[],
    filters: productionCalls(presetId),
    time_range: lastDays(days, now),
    limit: 10_000,
  };
}

/** A row of the response. */
export type CallerRow = Readonly<Record<string, string | number | null>>;

/** The calls that a change affects: those without a version or label, and those with labels. */
export interface AffectedCalls {
  readonly isLive: boolean;
  readonly labels: readonly string[];
}

interface Callers {
  readonly calls: number;
  /** Names of keys, the most frequent caller first. */
  readonly keys: readonly string[];
}

/** Who makes the affected calls; undefined if nobody does. */
export function callersAmong(
  rows: readonly CallerRow[],
  { isLive, labels }: AffectedCalls,
): Callers | undefined {
  const byKey = new Map<unknown, { name: string; calls: number }>();
  for (const { api_key_id: id, api_key_name: name, selection, label, request_count: count } of rows) {
    const isAffected = typeof label === 'string' ? labels.includes(label) : isLive && selection === 'live';
    if (!isAffected) continue;
    const known = byKey.get(id) ?? { name: typeof name === 'string' ? name : 'a deleted key', calls: 0 };
    byKey.set(id, { ...known, calls: known.calls + Number(count) });
  }
  const keys = [...byKey.values()].toSorted((one, other) => other.calls - one.calls);
  if (keys.length === 0) return undefined;
  return { calls: keys.reduce((sum, { calls }) => sum + calls, 0), keys: keys.map(({ name }) => name) };
}

/** More names would hide the number. */
const namesMax = 3;

/** "3 keys: production, staging, nightly" */
export function describeKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, namesMax);
  const others = keys.length - shown.length;
  const rest = others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
  return `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}: ${shown.join(', ')}${rest}`;
}
