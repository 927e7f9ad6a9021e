import { type JsonObject, nonEmptyObject, omitNullish } from '../../core/json/json-object.ts';
import type { TokenUsage } from '../model/completion.ts';
import { type CountPaths, createUsageParser, missingCounts, usageFields } from '../model/token-usage.ts';

const counts: CountPaths = {
  input: ['prompt_tokens'],
  output: ['completion_tokens'],
  // DeepSeek has a field of its own.
  cacheRead: ['prompt_tokens_details.cached_tokens', 'prompt_cache_hit_tokens'],
  cacheWrite: ['prompt_tokens_details.cache_write_tokens'],
  reasoning: ['completion_tokens_details.reasoning_tokens'],
  cost: ['cost'],
};

/** Parses the `usage` of a completion or a chunk. Returns undefined if it has no known count. */
export const parseUsage = createUsageParser(counts);

/** The fields of `usage` that are translated or repeat others, as paths in a completion. */
export const knownUsageFields = [
  ...usageFields(counts),
  'usage.total_tokens',
  'usage.prompt_cache_miss_tokens',
];

export function findMissingCounts(usage: TokenUsage): readonly string[] {
  return missingCounts(usage, counts, 'total_tokens');
}

/** Writes `usage`. The three main counts are required, so unknown ones are 0. */
export function writeUsage(usage: TokenUsage): JsonObject {
  const { input = 0, output = 0, cacheRead, cacheWrite, reasoning, cost } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...omitNullish({
      prompt_tokens_details: nonEmptyObject({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite }),
      completion_tokens_details: nonEmptyObject({ reasoning_tokens: reasoning }),
      cost,
    }),
  };
}
