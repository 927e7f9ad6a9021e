import { isJsonObject, type JsonObject, nonEmptyObject, omitNullish } from '../json-object.ts';
import type { TokenUsage } from '../translate/completion.ts';
import { asObject } from '../translate/loose-json.ts';
import { type CountNames, knownUsage, parseCost, parseCount } from '../translate/token-usage.ts';

/** Parses the `usage` of a completion or a chunk. Returns undefined if it has no known count. */
export function parseUsage(value: unknown): TokenUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = asObject(value.prompt_tokens_details);
  const output = asObject(value.completion_tokens_details);
  return knownUsage({
    input: parseCount(value.prompt_tokens),
    output: parseCount(value.completion_tokens),
    // DeepSeek has a field of its own.
    cacheRead: parseCount(input.cached_tokens) ?? parseCount(value.prompt_cache_hit_tokens),
    cacheWrite: parseCount(input.cache_write_tokens),
    reasoning: parseCount(output.reasoning_tokens),
    cost: parseCost(value.cost),
  });
}

/** Everything that `parseUsage` understands, as paths in a completion. */
export const usageFields: readonly string[] = [
  'usage.prompt_tokens',
  'usage.completion_tokens',
  'usage.total_tokens',
  'usage.prompt_tokens_details.cached_tokens',
  'usage.prompt_tokens_details.cache_write_tokens',
  'usage.prompt_cache_hit_tokens',
  'usage.prompt_cache_miss_tokens',
  'usage.completion_tokens_details.reasoning_tokens',
  'usage.cost',
];

export const countNames: CountNames = {
  input: 'usage.prompt_tokens',
  output: 'usage.completion_tokens',
  total: 'usage.total_tokens',
};

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
