/** Shared by the dialects to parse and write token usage. */

import { isJsonObject, type JsonObject } from '../json-object.ts';
import type { TokenUsage } from './completion.ts';

/** Returns undefined for anything that is not a number of tokens. */
export function parseCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** An amount in US dollars. Credits can make it negative. */
export function parseCost(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Leaves out unknown counts. Returns undefined if all of them are. */
export function knownUsage(usage: TokenUsage): TokenUsage | undefined {
  const known = Object.entries(usage).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The names of a dialect for the counts that it requires, as paths in the body of a response. */
export interface CountNames {
  readonly input: string;
  readonly output: string;
  readonly total?: string;
}

/** The required counts that are not known. */
export function missingCounts({ input, output }: TokenUsage, names: CountNames): readonly string[] {
  const missing = [
    ...(input === undefined ? [names.input] : []),
    ...(output === undefined ? [names.output] : []),
  ];
  return missing.length === 0 || names.total === undefined ? missing : [...missing, names.total];
}

/**
 * Combines the `usage` of several events of a stream. Not every event has all counts: servers leave
 * them out, or write 0 or null. Otherwise the last one counts, because the first may be an estimate.
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
