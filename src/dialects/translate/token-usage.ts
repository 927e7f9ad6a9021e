/** Shared by the dialects to parse and write token usage. */

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
