import { useQuery } from '@tanstack/react-query';
import type { Preset } from '../../../../src/api/presets.ts';
import { productionCalls } from '../../../../src/core/ledger/callers.ts';
import {
  formatAmount,
  formatCost,
  formatDuration,
  formatShare,
} from '../../../../src/core/ledger/metric-text.ts';
import type { UsageMetricName } from '../../../../src/core/ledger/usage-catalog.ts';
import { useSession } from '../../api/session.ts';
import { fetchUsage, usageIntervalMs } from '../../api/usage.ts';
import { formatCount } from '../../components/text.ts';
import { differenceText, type ValuePair } from '../usage/difference-text.ts';

/** How a version has behaved since it was saved, without runs in the workbench. */
interface VersionUsage {
  readonly calls: number;
  /** In US dollars, of the calls that succeeded or were charged and have a known cost, or null. */
  readonly costPerCall: number | null;
  /** How many calls have no known cost. */
  readonly unpricedCalls: number;
  readonly errorRate: number | null;
  /** In milliseconds, of the calls that succeeded. Null if none did. */
  readonly p95: number | null;
}

/** By version. Versions without calls are missing. */
type UsageByVersion = ReadonlyMap<number, VersionUsage>;

const metrics = [
  'request_count',
  'cost_per_call',
  'unpriced_request_count',
  'error_rate',
  'latency_p95',
] as const satisfies readonly UsageMetricName[];

/** All versions of a preset, in one query that the parts of a page share. */
export function useVersionUsage({ id, created_at }: Pick<Preset, 'id' | 'created_at'>) {
  const { api, workspaceId } = useSession();
  return useQuery({
    // Not below the key of the preset: a change to the preset does not affect its usage.
    queryKey: ['usage', workspaceId, 'versions', id],
    staleTime: usageIntervalMs,
    queryFn: async ({ signal }): Promise<UsageByVersion> => {
      const { data } = await fetchUsage(
        api,
        { workspaceId, isOrganization: false },
        {
          metrics: [...metrics],
          dimensions: ['preset_version'],
          filters: productionCalls(id),
          time_range: { start: created_at, end: new Date().toISOString() },
          limit: 10_000,
        },
        signal,
      );
      return new Map(data.map((row) => [Number(row.preset_version), usageOf(row)]));
    },
  });
}

function usageOf(row: Readonly<Record<string, string | number | null>>): VersionUsage {
  const number = (name: (typeof metrics)[number]) => {
    const value = row[name];
    return typeof value === 'number' ? value : null;
  };
  return {
    calls: number('request_count') ?? 0,
    costPerCall: number('cost_per_call'),
    unpricedCalls: number('unpriced_request_count') ?? 0,
    errorRate: number('error_rate'),
    p95: number('latency_p95'),
  };
}

/** In a few words each: "1,204 calls", "$0.0031 per call", "0.4% errors", "p95 1.9 s". */
export function describeUsage({
  calls,
  costPerCall,
  unpricedCalls,
  errorRate,
  p95,
}: VersionUsage): readonly string[] {
  return [
    formatCount(calls, 'call', 'calls'),
    ...(costPerCall === null && unpricedCalls === 0 ? [] : [costText(costPerCall)]),
    `${formatShare(errorRate)} errors`,
    ...(p95 === null ? [] : [`p95 ${formatDuration(p95)}`]),
  ];
}

function costText(costPerCall: number | null): string {
  return costPerCall === null ? 'cost unknown' : `${formatCost(costPerCall)} per call`;
}

/** For the cells of a table, in the order of `usageTitles`. */
export function usageCells(usage: VersionUsage | undefined): readonly string[] {
  if (usage === undefined) return ['0', '–', '–', '–'];
  const { calls, costPerCall, unpricedCalls, errorRate, p95 } = usage;
  // Without a call that succeeded, there is no cost that could be unknown.
  const cost = costPerCall === null && unpricedCalls === 0 ? '–' : formatCost(costPerCall);
  return [formatAmount(calls), cost, formatShare(errorRate), formatDuration(p95)];
}

export const usageTitles = ['Calls', 'Cost per call', 'Errors', 'Latency p95'] as const;

/** A sentence about calls that the numbers do not include; undefined if they are complete. */
export function usageRemark({ costPerCall, unpricedCalls }: VersionUsage): string | undefined {
  if (unpricedCalls === 0 || costPerCall === null) return undefined;
  return `Without ${formatCount(unpricedCalls, 'call', 'calls')} of unknown cost`;
}

/** How the second version differs from the first, in the order of `usageTitles`. */
export function differenceCells(
  before: VersionUsage | undefined,
  after: VersionUsage | undefined,
): readonly string[] {
  const calls: ValuePair = [before?.calls ?? 0, after?.calls ?? 0];
  return [
    differenceText('request_count', calls, calls),
    differenceText('cost_per_call', [before?.costPerCall, after?.costPerCall], calls),
    differenceText('error_rate', [before?.errorRate, after?.errorRate], calls),
    differenceText('latency_p95', [before?.p95, after?.p95], calls),
  ];
}
