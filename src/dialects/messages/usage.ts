import { isJsonObject, type JsonObject } from '../json-object.ts';
import type { TokenUsage } from '../translate/completion.ts';
import { asObject } from '../translate/loose-json.ts';
import { type CountNames, knownUsage, parseCost, parseCount } from '../translate/token-usage.ts';

/**
 * Parses the `usage` of a message or a stream event. Returns undefined if it has no known count.
 * This dialect reports cached input apart from other input; the result has the sum.
 */
export function parseUsage(value: unknown): TokenUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const uncached = parseCount(value.input_tokens);
  const cacheRead = parseCount(value.cache_read_input_tokens);
  const cacheWrite = parseCount(value.cache_creation_input_tokens);
  return knownUsage({
    input: uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheWrite ?? 0),
    output: parseCount(value.output_tokens),
    cacheRead,
    cacheWrite,
    reasoning: parseCount(asObject(value.output_tokens_details).thinking_tokens),
    cost: parseCost(value.cost),
  });
}

/** Everything that `parseUsage` understands, as paths in a message. */
export const usageFields: readonly string[] = [
  'usage.input_tokens',
  'usage.cache_creation_input_tokens',
  'usage.cache_read_input_tokens',
  'usage.output_tokens',
  'usage.output_tokens_details.thinking_tokens',
  'usage.cost',
];

export const countNames: CountNames = { input: 'usage.input_tokens', output: 'usage.output_tokens' };

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
