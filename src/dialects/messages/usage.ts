import type { JsonObject } from '../../core/json/json-object.ts';
import type { TokenUsage } from '../model/completion.ts';
import { type CountPaths, createUsageParser, missingCounts, usageFields } from '../model/token-usage.ts';

const counts: CountPaths = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  cacheRead: ['cache_read_input_tokens'],
  cacheWrite: ['cache_creation_input_tokens'],
  reasoning: ['output_tokens_details.thinking_tokens'],
  cost: ['cost'],
};

const parseCounts = createUsageParser(counts);

/**
 * Parses the `usage` of a message or a stream event. Returns undefined if it has no known count.
 * This dialect reports cached input apart from other input; the result has the sum.
 */
export function parseUsage(value: unknown): TokenUsage | undefined {
  const usage = parseCounts(value);
  if (usage?.input === undefined) return usage;
  const { input, cacheRead = 0, cacheWrite = 0 } = usage;
  return { ...usage, input: input + cacheRead + cacheWrite };
}

/** The fields of `usage` that are translated, as paths in a message. */
export const knownUsageFields = usageFields(counts);

export function findMissingCounts(usage: TokenUsage): readonly string[] {
  return missingCounts(usage, counts);
}

/**
 * Writes `usage`. Clients add up the four main counts, so unknown ones are 0. Like Anthropic's,
 * everything else is left out if it is not known: some clients reject null.
 */
export function writeUsage(usage: TokenUsage): JsonObject {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning, cost } = usage;
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(cost !== undefined && { cost }),
  };
}
