import type { JsonObject } from '../../core/json/json-object.ts';
import type { TokenUsage } from '../model/completion.ts';
import { type CountPaths, createUsageParser, missingCounts, usageFields } from '../model/token-usage.ts';

const counts: CountPaths = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  cacheRead: ['input_tokens_details.cached_tokens'],
  cacheWrite: ['input_tokens_details.cache_write_tokens'],
  reasoning: ['output_tokens_details.reasoning_tokens'],
  cost: ['cost'],
};

/** Parses the `usage` of a response. Returns undefined if it has no known count. */
export const parseUsage = createUsageParser(counts);

/** The fields of `usage` that are translated or repeat others, as paths in a response. */
export const knownUsageFields = [...usageFields(counts), 'usage.total_tokens'];

export function findMissingCounts(usage: TokenUsage): readonly string[] {
  return missingCounts(usage, counts, 'total_tokens');
}

/** Writes `usage`. All counts are required, so unknown ones are 0. */
export function writeUsage(usage: TokenUsage): JsonObject {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0, cost } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
    ...(cost !== undefined && { cost }),
  };
}
