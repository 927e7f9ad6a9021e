import type { Input } from '../../../../src/api/client.ts';
import type { UsageDimensionName } from '../../../../src/core/ledger/usage-catalog.ts';
import type { UsageCondition } from '../../api/usage.ts';
import { parseVersion } from '../../components/preset-links.ts';

/**
 * The filters of the pages of usage and calls: one value for each of the dimensions, in parameters of
 * the URL that both pages share, so that a chart leads to its calls.
 */

/** By the parameter of the URL, in the order in which they are offered. */
export const filterDimensions = {
  preset: 'preset',
  version: 'preset_version',
  label: 'label',
  selection: 'selection',
  model: 'model',
  key: 'api_key_id',
  person: 'user',
  upstream: 'upstream',
  dialect: 'dialect',
  status: 'status',
  purpose: 'purpose',
  workspace: 'workspace',
  session: 'session_id',
  end_user: 'external_user',
} as const satisfies Readonly<Record<string, UsageDimensionName>>;

export type FilterName = keyof typeof filterDimensions;

const filterNames = Object.keys(filterDimensions) as readonly FilterName[];

/** Sums by these are stored for good. The others are known for single calls only. */
export const countedNames = filterNames.filter((name) => name !== 'session' && name !== 'end_user');

export type UsageFilter = Readonly<Partial<Record<FilterName, string>>>;

/** Values that the API would reject are dropped: people edit URLs. */
export function parseFilter(
  value: (name: string) => string,
  { isOrganization, names = countedNames }: FilterOptions,
): UsageFilter {
  const given = names.flatMap((name) => {
    const text = value(name);
    return text !== '' && (isValid[name]?.(text) ?? true) ? [[name, text] as const] : [];
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

const isValid: Readonly<Partial<Record<FilterName, (text: string) => boolean>>> = {
  version: (text) => parseVersion(text) !== undefined,
  selection: (text) => isOneOf(selections, text),
  purpose: (text) => isOneOf(purposes, text),
  status: (text) => /^([1-5]\d\d|error|success)$/.test(text),
};

type CallQuery = NonNullable<Input<'GET /generations'>['query']>;

const selections = ['live', 'version', 'label', 'draft'] as const satisfies readonly CallQuery['selection'][];
const purposes = ['call', 'workbench'] as const satisfies readonly CallQuery['purpose'][];

function isOneOf<Text extends string>(texts: readonly Text[], text: string | undefined): text is Text {
  return texts.some((each) => each === text);
}

/** For a query of sums. */
export function conditionsOf(filter: UsageFilter): UsageCondition[] {
  return (Object.entries(filter) as [FilterName, string][]).map(([name, value]) => {
    const field = filterDimensions[name];
    if (name === 'status' && value === 'error') return { field, operator: 'gte', value: 400 };
    if (name === 'status' && value === 'success') return { field, operator: 'lt', value: 400 };
    return { field, operator: 'eq', value: name === 'status' || name === 'version' ? Number(value) : value };
  });
}

/** For the list of calls. */
export function callQueryOf(filter: UsageFilter, workspaceId: string | undefined): CallQuery {
  const { key, person, version, session, end_user, workspace, selection, purpose, ...same } = filter;
  return {
    ...same,
    workspace_id: workspace ?? workspaceId,
    api_key_id: key,
    user: person,
    preset_version: version === undefined ? undefined : Number(version),
    session_id: session,
    external_user: end_user,
    selection: isOneOf(selections, selection) ? selection : undefined,
    purpose: isOneOf(purposes, purpose) ? purpose : undefined,
  };
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
