import { isJsonObject, type JsonObject } from '../json-object.ts';
import type { TokenUsage } from '../translate/completion.ts';
import { asObject } from '../translate/loose-json.ts';
import { type CountNames, knownUsage, parseCost, parseCount } from '../translate/token-usage.ts';

/** Parses the `usage` of a response. Returns undefined if it has no known count. */
export function parseUsage(value: unknown): TokenUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = asObject(value.input_tokens_details);
  const output = asObject(value.output_tokens_details);
  return knownUsage({
    input: parseCount(value.input_tokens),
    output: parseCount(value.output_tokens),
    cacheRead: parseCount(input.cached_tokens),
    cacheWrite: parseCount(input.cache_write_tokens),
    reasoning: parseCount(output.reasoning_tokens),
    cost: parseCost(value.cost),
  });
}

/** Everything that `parseUsage` understands, as paths in a response. */
export const usageFields: readonly string[] = [
  'usage.input_tokens',
  'usage.input_tokens_details.cached_tokens',
  'usage.input_tokens_details.cache_write_tokens',
  'usage.output_tokens',
  'usage.output_tokens_details.reasoning_tokens',
  'usage.total_tokens',
  'usage.cost',
];

export const countNames: CountNames = {
  input: 'usage.input_tokens',
  output: 'usage.output_tokens',
  total: 'usage.total_tokens',
};

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
