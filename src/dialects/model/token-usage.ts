/** Shared by the dialects to parse and write token usage. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject } from '../../core/json/loose-json.ts';
import { dollarsMax } from '../../core/ledger/price.ts';
import type { TokenUsage } from './completion.ts';

/** No response has more tokens. A larger number is wrong, and could not be stored or added up. */
const tokensMax = 1_000_000_000;

/** Returns undefined for anything that is not a number of tokens. */
export function parseCount(value: unknown): number | undefined {
  return Number.isInteger(value) && isBetween0And(tokensMax, value) ? value : undefined;
}

/** An amount in US dollars. */
export function parseCost(value: unknown): number | undefined {
  return isBetween0And(dollarsMax, value) ? value : undefined;
}

function isBetween0And(max: number, value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= max;
}

/** The paths of each count in the `usage` of a dialect. The first one that is present wins. */
export type CountPaths = Readonly<Record<keyof TokenUsage, readonly string[]>>;

/** Creates a parser of the counts of a `usage`. It returns undefined if there are none. */
export function createUsageParser(paths: CountPaths): (usage: unknown) => TokenUsage | undefined {
  const places = (Object.keys(paths) as (keyof TokenUsage)[]).flatMap((count) =>
    paths[count].map((path) => ({ count, names: path.split('.'), parse: parserOf(count) })),
  );
  return (usage) => {
    if (!isJsonObject(usage)) return undefined;
    const counts: Partial<Record<keyof TokenUsage, number>> = {};
    for (const { count, names, parse } of places) {
      const [name = '', part] = names;
      const value = parse(part === undefined ? usage[name] : asObject(usage[name])[part]);
      if (value !== undefined) counts[count] ??= value;
    }
    return Object.keys(counts).length === 0 ? undefined : counts;
  };
}

function parserOf(count: keyof TokenUsage): (value: unknown) => number | undefined {
  return count === 'cost' ? parseCost : parseCount;
}

/** All that such a parser understands, as paths in the body of a response. */
export function usageFields(paths: CountPaths): readonly string[] {
  return Object.values(paths).flatMap((candidates) => candidates.map((path) => `usage.${path}`));
}

/** The required counts that are not known, as paths in the body of a response. */
export function missingCounts(usage: TokenUsage, paths: CountPaths, total?: string): readonly string[] {
  const missing = (['input', 'output'] as const).filter((name) => usage[name] === undefined);
  const names = missing.map((name) => paths[name][0]);
  return (missing.length === 0 || total === undefined ? names : [...names, total]).map(
    (name) => `usage.${name}`,
  );
}

/**
 * Combines the `usage` of several events of a stream. Not every event has all counts: servers leave
 * them out, or write 0 or null. Otherwise the last one counts: the first may be an estimate.
 */
export function mergeUsage(
  one: JsonObject | undefined,
  other: JsonObject | undefined,
): JsonObject | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Object.fromEntries(
    Object.keys({ ...one, ...other }).map((name) => [name, mergeField(one[name], other[name])]),
  );
}

function mergeField(one: unknown, other: unknown): unknown {
  if (isJsonObject(one) && isJsonObject(other)) return mergeUsage(one, other);
  return other || (one ?? other);
}
