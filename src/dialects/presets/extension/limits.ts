import { isJsonObject, type JsonObject } from '../../../core/json/json-object.ts';
import { isRawNumber } from '../../../core/json/json-text.ts';
import { allDialects } from '../../dialects.ts';
import { distinct, type FieldPath } from '../../model/concepts.ts';
import type { PolicyLimits } from './policy.ts';

export interface Limit {
  readonly name: keyof PolicyLimits;
  readonly max: number;
}

/**
 * The limits of a policy. Reasoning counts towards the token limit, and Anthropic and OpenRouter
 * require a budget below it, so a token limit also bounds the budget.
 */
export function prepareLimits(limits: PolicyLimits): readonly Limit[] {
  const { max_tokens = Infinity, reasoning_tokens = Infinity } = limits;
  const maxima = { ...limits, reasoning_tokens: Math.min(reasoning_tokens, max_tokens - 1) };
  return limitNames
    .map((name) => ({ name, max: maxima[name] ?? Infinity }))
    .filter(({ max }) => max !== Infinity);
}

interface LoweredFields {
  /** The same object that came in if nothing exceeds its limit. */
  readonly fields: JsonObject;
  readonly lowered: readonly Limit['name'][];
}

/**
 * Lowers every value that is not a number within its limit. Upstreams may convert texts to numbers
 * and read negative numbers as no limit, so all of these count as too large.
 */
export function lowerToLimits(fields: JsonObject, limits: readonly Limit[]): LoweredFields {
  const changes: Record<string, unknown> = {};
  const lowered = new Set<Limit['name']>();
  for (const limit of limits)
    for (const [field, part] of limitedFields[limit.name]) {
      const value = lower(fields[field], part, limit);
      if (value === fields[field]) continue;
      changes[field] = value;
      lowered.add(limit.name);
    }
  const entries = fallbackEntries(fields).map((entry) =>
    isJsonObject(entry) ? lowerToLimits(entry, limits) : { fields: entry, lowered: [] },
  );
  for (const name of entries.flatMap((entry) => entry.lowered)) {
    lowered.add(name);
    changes.fallbacks = entries.map((entry) => entry.fields);
  }
  return { fields: lowered.size === 0 ? fields : { ...fields, ...changes }, lowered: [...lowered] };
}

/** Finds the values that are not numbers within their limits, with paths that start with `path`. */
export function findAboveLimits(
  fields: JsonObject,
  limits: readonly Limit[],
  path = '',
): readonly { readonly path: string; readonly max: number }[] {
  const own = limits.flatMap((limit) =>
    limitedFields[limit.name]
      .filter(([field, part]) => lower(fields[field], part, limit) !== fields[field])
      .map((names) => ({ path: [path, ...names].join('/'), max: limit.max })),
  );
  const inFallbacks = fallbackEntries(fields).flatMap((entry, index) =>
    isJsonObject(entry) ? findAboveLimits(entry, limits, `${path}/fallbacks/${index}`) : [],
  );
  return [...own, ...inFallbacks];
}

/** Each of Anthropic's `fallbacks` may set fields of its own. */
function fallbackEntries({ fallbacks }: JsonObject): readonly unknown[] {
  return Array.isArray(fallbacks) ? fallbacks : [];
}

/**
 * The fields, or parts of fields, that each limit bounds. They are the names of all dialects,
 * because an upstream may know more of them than the dialect of the call.
 */
export const limitedFields: Readonly<Record<Limit['name'], readonly FieldPath[]>> = {
  max_tokens: distinct(
    allDialects.flatMap(({ concepts }) =>
      concepts.fields.filter(([, kinds]) => kinds.includes('tokenLimit')).map(([path]) => path),
    ),
  ),
  temperature: [['temperature']],
  n: [['n']],
  reasoning_tokens: distinct(allDialects.map(({ concepts }) => concepts.reasoningBudget.path)),
};

/** The fields that a limit bounds as a whole, in any dialect. */
export function fieldsOfLimit(name: Limit['name']): readonly string[] {
  return limitedFields[name].filter(([, part]) => part === undefined).map(([field]) => field);
}

const limitNames = Object.keys(limitedFields) as readonly Limit['name'][];

function lower(value: unknown, part: string | undefined, limit: Limit): unknown {
  const { max } = limit;
  if (part === undefined) return isWithin(value, limit) ? value : max;
  if (!isJsonObject(value) || isWithin(value[part], limit)) return value;
  const least = leastBudgets.get(part);
  return least !== undefined && max < least.tokens ? least.below : { ...value, [part]: max };
}

const leastBudgets = new Map(
  allDialects.map(({ concepts: { reasoningBudget } }) => [reasoningBudget.path[1], reasoningBudget.least]),
);

/**
 * Whether a value is missing, or a number within a limit. A number with more digits than JavaScript
 * has is compared rounded, as upstreams read it.
 */
function isWithin(value: unknown, { name, max }: Limit): boolean {
  if (value === undefined || value === null) return true;
  const number = isRawNumber(value) ? Number(JSON.stringify(value)) : value;
  if (typeof number !== 'number' || number > max) return false;
  return zeroLimits.has(name) ? number >= 0 : number > 0;
}

/** A budget of 0 turns reasoning off. Some servers take a token limit of 0 as no limit. */
const zeroLimits: ReadonlySet<Limit['name']> = new Set(['temperature', 'reasoning_tokens']);
