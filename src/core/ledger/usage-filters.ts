import type { Issue } from '../errors.ts';
import { isUuid } from '../organization/workspace.ts';
import { assertNoIssues, isStorableText } from '../request-issues.ts';
import type { CallScope, LedgerStore, UsageFilter } from './ledger-storage.ts';
import {
  type FilterOperator,
  filterOperators,
  type UsageDimensionName,
  usageDimensions,
} from './usage-catalog.ts';

/** A condition as a request names it. */
export interface UsageFilterInput {
  readonly field: UsageDimensionName;
  readonly operator: FilterOperator;
  readonly value: string | number | readonly (string | number)[];
  readonly includesUnset?: boolean | undefined;
}

interface ParsedFilters {
  readonly filters: readonly UsageFilter[];
  /** Values that cannot be found. No call has them. */
  readonly warnings: readonly string[];
}

/** Checks conditions and finds the presets that they name by slug. Throws `invalid_request`. */
export async function parseFilters(
  ledger: Pick<LedgerStore, 'findPresets'>,
  scope: CallScope,
  inputs: readonly UsageFilterInput[],
): Promise<ParsedFilters> {
  assertNoIssues(inputs.flatMap((input, index) => issuesOf(input, `/filters/${index}`)));
  const warnings: string[] = [];
  const filters = await Promise.all(
    inputs.map(async ({ field, operator, value, includesUnset }): Promise<UsageFilter> => {
      const given = Array.isArray(value)
        ? (value as readonly (string | number)[])
        : [value as string | number];
      const values = await resolve(ledger, scope, field, given, warnings);
      // A call without a value differs from any value.
      const isUnset = operator === 'neq' || (includesUnset ?? false);
      return { dimension: field, operator, values, includesUnset: isUnset };
    }),
  );
  return { filters, warnings };
}

function issuesOf({ field, operator, value }: UsageFilterInput, path: string): readonly Issue[] {
  const isNumber = usageDimensions[field].type === 'integer';
  const isList = filterOperators[operator] === 'array';
  if (isList !== Array.isArray(value))
    return [
      {
        path: `${path}/value`,
        message: `must be ${isList ? 'a list' : 'a single value'} for the operator ${operator}`,
      },
    ];
  if (/^[gl]te?$/.test(operator) && !isNumber)
    return [{ path: `${path}/operator`, message: `can only compare numbers; ${field} is a text` }];
  const values = [value].flat();
  const isValid = isNumber
    ? values.every(Number.isSafeInteger)
    : values.every((each) => isStorableText(String(each)));
  return isValid
    ? []
    : [
        {
          path: `${path}/value`,
          message: isNumber ? 'must be an integer' : 'must be a text that can be stored',
        },
      ];
}

async function resolve(
  ledger: Pick<LedgerStore, 'findPresets'>,
  scope: CallScope,
  dimension: UsageDimensionName,
  given: readonly (string | number)[],
  warnings: string[],
): Promise<readonly (string | number)[]> {
  const { type } = usageDimensions[dimension];
  if (type === 'integer') return given;
  const texts = given.map(String);
  if (type === 'text') return texts;
  const ids = texts.filter(isUuid).map((id) => id.toLowerCase());
  const others = texts.filter((text) => !isUuid(text));
  if (others.length === 0) return ids;
  const found = dimension === 'preset' ? await ledger.findPresets(scope, others) : [];
  const missing = others.filter((text) => !found.some(({ slug }) => slug === text));
  if (missing.length > 0)
    warnings.push(`No ${dimension} has the ${dimension === 'preset' ? 'slug' : 'id'} ${missing.join(', ')}.`);
  return [...ids, ...found.map(({ id }) => id)];
}
