import { useQuery } from '@tanstack/react-query';
import {
  type FilterName,
  filterDimensions,
  type UsageDimensionName,
  usageDimensions,
} from '../../../../src/core/ledger/usage-catalog.ts';
import { hourMs } from '../../../../src/core/ledger/usage-periods.ts';
import { type Directory, useDirectory } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { fetchUsage, type UsageRow, type UsageScope } from '../../api/usage.ts';
import type { FilterValue } from '../../components/filter-menu.tsx';
import { valueText } from './value-text.ts';

/** The values that calls of the last three months have, the most frequent first. */
export function useFilterValues(name: FilterName | undefined, scope: UsageScope, preset?: string) {
  const { api } = useSession();
  const { directory } = useDirectory();
  const dimension = name === undefined ? undefined : filterDimensions[name];
  const { data, error } = useQuery({
    queryKey: ['usage', scope, 'values', dimension, preset],
    enabled: dimension !== undefined,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const end = Math.ceil(Date.now() / hourMs) * hourMs;
      const query = {
        metrics: ['request_count' as const],
        dimensions: dimension === undefined ? [] : [dimension],
        time_range: {
          start: new Date(end - daysListed * 24 * hourMs).toISOString(),
          end: new Date(end).toISOString(),
        },
        limit: valuesMax,
      };
      return (await fetchUsage(api, scope, query, signal)).data;
    },
  });
  return { values: name && data && valuesOf(name, data, directory), error };
}

const daysListed = 90;
const valuesMax = 1_000;

const statuses: readonly FilterValue[] = [
  { value: 'error', text: 'Errors', detail: '400 and above' },
  { value: 'success', text: 'Successful', detail: 'below 400' },
];

/** Values that calls can lack are left out: the list of calls has no filter for that. */
export function valuesOf(
  name: FilterName,
  rows: readonly UsageRow[],
  directory: Directory,
): readonly FilterValue[] {
  const dimension: UsageDimensionName = filterDimensions[name];
  const found = rows.flatMap((row) => {
    const id = row[dimension];
    if (id === null || id === undefined || id === '') return [];
    const { names } = usageDimensions[dimension];
    const named = names === undefined ? undefined : row[names.field];
    // A slug reads better in an address than an id, and finds the preset after it was renamed.
    const value = name === 'preset' && typeof named === 'string' ? named : String(id);
    const text = valueText(dimension, row, directory);
    const detail = name === 'person' && typeof named === 'string' && named !== text ? named : undefined;
    return [{ value, text, detail }];
  });
  return name === 'status' ? [...statuses, ...found] : found;
}
