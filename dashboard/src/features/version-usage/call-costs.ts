import { useQuery } from '@tanstack/react-query';
import type { Preset } from '../../../../src/api/presets.ts';
import { lastDays } from '../../../../src/core/ledger/callers.ts';
import { useSession } from '../../api/session.ts';
import { fetchUsage, type UsageRow, usageIntervalMs } from '../../api/usage.ts';

/** The costs of calls with a version and a model. */
export interface CallCosts {
  readonly version: number | undefined;
  readonly model: string;
  /** The calls that succeeded or were charged, of known cost, and their cost in US dollars. */
  readonly calls: number;
  readonly dollars: number;
}

/** Prices change, so earlier calls say less. */
export const callCostDays = 30;

/** Of a preset, including runs in the workbench, which cost as much. None until they are known. */
export function useCallCosts(preset: Pick<Preset, 'id'> | undefined): readonly CallCosts[] {
  const id = preset?.id;
  const { api, workspaceId } = useSession();
  const { data = none } = useQuery({
    queryKey: ['usage', workspaceId, 'call costs', id],
    enabled: id !== undefined,
    staleTime: usageIntervalMs,
    queryFn: async ({ signal }) => {
      const { data: rows } = await fetchUsage(
        api,
        { workspaceId, isOrganization: false },
        {
          metrics: ['billable_request_count', 'total_usage'],
          dimensions: ['preset_version', 'model'],
          filters: [{ field: 'preset', operator: 'eq', value: id ?? '' }],
          time_range: lastDays(callCostDays, Date.now()),
          limit: 10_000,
        },
        signal,
      );
      return rows.map(costsOf);
    },
  });
  return data;
}

const none: readonly CallCosts[] = [];

function costsOf(row: UsageRow): CallCosts {
  return {
    version: row.preset_version === null ? undefined : Number(row.preset_version),
    model: String(row.model),
    calls: Number(row.billable_request_count),
    dollars: Number(row.total_usage),
  };
}

/**
 * The mean cost of a call in US dollars: with this version and model, or else with this model and
 * any version. Without a version, such as for a draft, only the model decides. Undefined if no such
 * call has a known cost.
 */
export function costPerCall(
  costs: readonly CallCosts[],
  version: number | undefined,
  model: string | undefined,
): number | undefined {
  const ofModel = costs.filter((each) => each.model === model);
  return mean(ofModel.filter((each) => version !== undefined && each.version === version)) ?? mean(ofModel);
}

function mean(costs: readonly CallCosts[]): number | undefined {
  const calls = costs.reduce((sum, each) => sum + each.calls, 0);
  return calls === 0 ? undefined : costs.reduce((sum, { dollars }) => sum + dollars, 0) / calls;
}
