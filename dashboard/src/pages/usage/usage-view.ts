import {
  type FilterName,
  filterDimensions,
  type Granularity,
  granularities,
  type UsageDimensionName,
} from '../../../../src/core/ledger/usage-catalog.ts';
import { hourMs, hoursOf, periodsOf } from '../../../../src/core/ledger/usage-periods.ts';
import { parseVersion } from '../../components/preset-links.ts';
import { dayMs, lastDays, parseRange, type TimeRange } from '../../features/usage/time-range.ts';
import { chartedNames, parseFilter, type UsageFilter } from '../../features/usage/usage-filter.ts';

/** The filters and range of the Usage page, kept in its URL. Days and hours are in UTC, as sums. */
export interface UsageView extends TimeRange {
  readonly filter: UsageFilter;
  readonly granularity: Granularity;
  /** The dimension that calls are grouped by; undefined for one sum. */
  readonly group: FilterName | undefined;
  /** The version that the filtered one is compared with. */
  readonly compared: number | undefined;
  /** The latency that is shown. */
  readonly measure: Measure;
  /** The quantile of it, where groups leave room for one. */
  readonly quantile: Quantile;
}

type Measure = 'latency' | 'first_token';
type Quantile = 'p50' | 'p95' | 'p99';

/** Reads a view from the parameters of the URL. What is not valid counts as not given. */
export function parseView(
  value: (name: string) => string,
  now: number,
  options: { readonly isOrganization: boolean },
): UsageView {
  const parsed: UsageFilter = {
    // Test runs would distort what a version costs, and how long it takes.
    ...(value('purpose') !== anyPurpose && { purpose: usualPurpose }),
    ...parseFilter(value, options),
  };
  const compared = parsed.version === undefined ? undefined : parseVersion(value('compare'));
  const isComparison = compared !== undefined && String(compared) !== parsed.version;
  const range = parseRange(value, now) ?? lastDays('30d', now);
  const allowed = granularitiesOf(range);
  const measure = value('measure') === 'first_token' ? 'first_token' : 'latency';
  return {
    filter: parsed,
    ...range,
    granularity: allowed.find((name) => name === value('granularity')) ?? usualGranularity(range),
    group: isComparison ? 'version' : groupOf(value('group'), parsed, options),
    compared: isComparison ? compared : undefined,
    measure,
    quantile: (['p50', 'p95', 'p99'] as const).find((each) => each === value('quantile')) ?? 'p95',
  };
}

/** Calls of apps. */
const usualPurpose = 'call';

/** In the URL, for calls of apps and runs in the workbench together. */
export const anyPurpose = 'all';

/** Whether somebody chose the filters. */
export function isFiltered({ filter }: Pick<UsageView, 'filter'>): boolean {
  const { purpose = usualPurpose, ...others } = filter;
  return purpose !== usualPurpose || Object.keys(others).length > 0;
}

/** Days in a range up to which each granularity has few enough points to read and to draw. */
const rangeDaysMax: Readonly<Record<Granularity, number>> = {
  hour: 31,
  day: 731,
  week: 3_653,
  month: Number.POSITIVE_INFINITY,
};

/** Those that show at least two points, unless the range is a single day. */
export function granularitiesOf({ start, end }: Pick<UsageView, 'start' | 'end'>): readonly Granularity[] {
  const days = (end - start) / dayMs;
  return granularities.filter((name) => days <= rangeDaysMax[name]);
}

function usualGranularity({ start, end }: TimeRange): Granularity {
  const days = (end - start) / dayMs;
  if (days <= 3) return 'hour';
  if (days <= 120) return 'day';
  return days <= 731 ? 'week' : 'month';
}

/** In the URL, for no groups at all. */
export const noGroup = 'none';

function groupOf(
  text: string,
  filter: UsageFilter,
  options: { readonly isOrganization: boolean },
): FilterName | undefined {
  if (text === noGroup) return undefined;
  const named = groupNames(filter, options).find((name) => name === text);
  if (named !== undefined) return named;
  if (filter.preset === undefined) return 'preset';
  return filter.version === undefined ? 'version' : undefined;
}

/** Dimensions to group calls by. The numbers of versions mean nothing without their preset. */
export function groupNames(
  filter: UsageFilter,
  { isOrganization }: { readonly isOrganization: boolean },
): readonly FilterName[] {
  return chartedNames.filter(
    (name) => (name !== 'version' || filter.preset !== undefined) && (name !== 'workspace' || isOrganization),
  );
}

/** The dimension of the groups. */
export function dimensionOf({ group }: Pick<UsageView, 'group'>): UsageDimensionName | undefined {
  return group === undefined ? undefined : filterDimensions[group];
}

/** The starts of all periods of a view, as rows have them. A period without calls has no row. */
export function periodDates({ start, end, granularity }: UsageView): readonly string[] {
  return periodsOf(hoursOf(start, end), granularity).map(({ period }) =>
    new Date(period * hourMs).toISOString(),
  );
}
