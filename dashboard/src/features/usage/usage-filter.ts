import {
  type FilterName,
  filterDimensions,
  filterNames,
  usageDimensions,
} from '../../../../src/core/ledger/usage-catalog.ts';
import type { CallQuery, UsageCondition } from '../../api/usage.ts';
import { parseVersion } from '../../components/preset-links.ts';

/**
 * The filters of the pages of usage and calls: one value for each of the dimensions, in parameters
 * of the URL that both pages share, so that a chart leads to its calls. Parameters are named as in
 * `filterDimensions`.
 */

/** Names that charts use: all but those whose values hardly any two calls share. */
export const chartedNames = filterNames.filter((name) => name !== 'session' && name !== 'end_user');

export type UsageFilter = Readonly<Partial<Record<FilterName, string>>>;

/** Values that the API would reject are dropped: people edit URLs. */
export function parseFilter(
  value: (name: string) => string,
  { isOrganization, names = chartedNames }: FilterOptions,
): UsageFilter {
  const given = names.flatMap((name) => {
    const text = value(name);
    return text !== '' && isValid(name, text) ? [[name, text] as const] : [];
  });
  const { version, workspace, ...filter }: UsageFilter = Object.fromEntries(given);
  return {
    ...filter,
    // A number says nothing without its preset.
    ...(version !== undefined && filter.preset !== undefined && { version }),
    ...(workspace !== undefined && isOrganization && { workspace }),
  };
}

interface FilterOptions {
  readonly isOrganization: boolean;
  readonly names?: readonly FilterName[];
}

function isValid(name: FilterName, text: string): boolean {
  if (name === 'version') return parseVersion(text) !== undefined;
  if (name === 'status') return /^([1-5]\d\d|error|success)$/.test(text);
  const { values } = usageDimensions[filterDimensions[name]];
  return values === undefined || Object.hasOwn(values, text);
}

/** For a query of sums. */
export function conditionsOf(filter: UsageFilter): UsageCondition[] {
  return (Object.entries(filter) as [FilterName, string][]).map(([name, value]) => {
    const field = filterDimensions[name];
    if (name === 'status' && value === 'error') return { field, operator: 'gte', value: 400 };
    if (name === 'status' && value === 'success') return { field, operator: 'lt', value: 400 };
    return { field, operator: 'eq', value: parseValue(name, value) };
  });
}

/** For the list of calls, whose parameters have the names of the dimensions. */
export function callQueryOf(filter: UsageFilter, workspaceId: string | undefined): CallQuery {
  const { workspace = workspaceId, status, ...others } = filter;
  const conditions = (Object.entries(others) as [FilterName, string][]).map(([name, value]) => [
    filterDimensions[name],
    parseValue(name, value),
  ]);
  return { ...Object.fromEntries(conditions), status, workspace_id: workspace };
}

function parseValue(name: FilterName, text: string): string | number {
  return usageDimensions[filterDimensions[name]].type === 'integer' ? Number(text) : text;
}

/** The parameters that clear all filters. */
export const noFilters: Readonly<Record<string, string>> = Object.fromEntries(
  filterNames.map((name) => [name, '']),
);

/** The address of a page of usage or calls with these filters, in the workspace of the page. */
export function usagePath(
  page: 'usage' | 'calls',
  filter: UsageFilter,
  others: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries({ ...filter, ...others }).filter(([, value]) => value !== '');
  return `/${page}?${new URLSearchParams(given)}`;
}
