import { isRawNumber } from '../../core/json-text.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import type { FieldPath } from '../translate/field-concepts.ts';
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

export interface LoweredFields {
  /** The same object that came in if nothing exceeds its limit. */
  readonly fields: JsonObject;
  readonly lowered: readonly Limit['name'][];
}

/**
 * Lowers every number above its limit, also in Anthropic's `fallbacks`, each of which may set fields
 * of its own. Other values are for the upstream to reject.
 */
export function lowerToLimits(fields: JsonObject, limits: readonly Limit[]): LoweredFields {
  const changes: Record<string, unknown> = {};
  const lowered = new Set<Limit['name']>();
  for (const { name, max } of limits)
    for (const [field, part] of limitedFields[name]) {
      const value = lower(fields[field], part, max);
      if (value === fields[field]) continue;
      changes[field] = value;
      lowered.add(name);
    }
  if (Array.isArray(fields.fallbacks)) {
    const entries = fields.fallbacks.map((entry: unknown) =>
      isJsonObject(entry) ? lowerToLimits(entry, limits) : { fields: entry, lowered: [] },
    );
    for (const name of entries.flatMap((entry) => entry.lowered)) {
      lowered.add(name);
      changes.fallbacks = entries.map((entry) => entry.fields);
    }
  }
  return { fields: lowered.size === 0 ? fields : { ...fields, ...changes }, lowered: [...lowered] };
}

/**
 * The fields, or parts of fields, that each limit bounds. They are the names of all dialects,
 * because an upstream may know more of them than the dialect of the call.
 */
const limitedFields: Readonly<Record<Limit['name'], readonly FieldPath[]>> = {
  max_tokens: [['max_tokens'], ['max_completion_tokens'], ['max_output_tokens']],
  temperature: [['temperature']],
  n: [['n']],
  reasoning_tokens: [
    ['reasoning', 'max_tokens'],
    ['thinking', 'budget_tokens'],
  ],
};

/** The fields that a limit bounds as a whole, in any dialect. */
export function fieldsOfLimit(name: Limit['name']): readonly string[] {
  return limitedFields[name].filter(([, part]) => part === undefined).map(([field]) => field);
}

const limitNames = Object.keys(limitedFields) as readonly Limit['name'][];

function lower(value: unknown, part: string | undefined, max: number): unknown {
  if (part === undefined) return isAbove(value, max) ? max : value;
  if (!isJsonObject(value) || !isAbove(value[part], max)) return value;
  return part === 'budget_tokens' && max < thinkingTokensMin
    ? { type: 'disabled' }
    : { ...value, [part]: max };
}

/** Anthropic rejects a smaller budget. */
const thinkingTokensMin = 1_024;

/** A number with more digits than JavaScript has is compared rounded, as upstreams read it. */
function isAbove(value: unknown, max: number): boolean {
  const number = isRawNumber(value) ? Number(JSON.stringify(value)) : value;
  return typeof number === 'number' && number > max;
}
