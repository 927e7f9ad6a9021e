import { calcPrice } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { costOf, type TokenCounts, toNanos } from '../../core/ledger/price.ts';
import type { UpstreamKind } from '../upstreams/upstream.ts';
import { createListPrices } from './list-prices.ts';

const at = Date.parse('2026-11-18T12:00:00Z');

const models: readonly (readonly [kind: UpstreamKind, provider: string, model: string])[] = [
  ['openai', 'openai', 'gpt-4o'],
  ['openai', 'openai', 'gpt-5'],
  ['openai', 'openai', 'text-embedding-3-small'],
  ['anthropic', 'anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'anthropic', 'claude-3-5-haiku-latest'],
  ['openrouter', 'openrouter', 'anthropic/claude-sonnet-4.5'],
  ['azure-openai', 'azure', 'gpt-4o'],
  ['gemini', 'google', 'gemini-2.5-pro'],
  ['mistral', 'mistral', 'mistral-large-latest'],
  ['groq', 'groq', 'llama-3.3-70b-versatile'],
  ['together', 'together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo'],
  ['deepseek', 'deepseek', 'deepseek-chat'],
  ['xai', 'x-ai', 'grok-4'],
];

const usages: readonly TokenCounts[] = [
  { input: 1_234, cached: 0, cacheWrite: 0, output: 567, reasoning: null },
  { input: 12_345, cached: 8_000, cacheWrite: 0, output: 1, reasoning: null },
  { input: 12_345, cached: 100, cacheWrite: 12_000, output: 99, reasoning: null },
  // The price of some models depends on the length of the input.
  { input: 200_000, cached: 0, cacheWrite: 0, output: 10, reasoning: null },
  { input: 200_001, cached: 150_000, cacheWrite: 0, output: 10, reasoning: null },
];

describe.each(models)('list prices of %s (%s) for %s', (kind, providerId, model) => {
  it.each(usages)('agree with the library for %j', async (tokens) => {
    const price = await createListPrices().find(kind, model, tokens.input ?? 0, at);
    const usage = {
      input_tokens: tokens.input ?? 0,
      output_tokens: tokens.output ?? 0,
      cache_read_tokens: tokens.cached ?? 0,
      cache_write_tokens: tokens.cacheWrite ?? 0,
    };
    const expected = calcPrice(usage, model, { providerId, timestamp: new Date(at) });
    expect(price && costOf(tokens, price)).toBe(expected && toNanos(expected.total_price));
  });
});

it.each<[UpstreamKind, string]>([
  ['openai', 'no-such-model'],
  ['ollama', 'gpt-4o'],
  ['vllm', 'gpt-4o'],
  ['openai-compatible', 'gpt-4o'],
])('nobody knows what %s charges for %s', async (kind, model) => {
  expect(await createListPrices().find(kind, model, 0, at)).toBeUndefined();
});

it('a model that is billed by the hour has no price for tokens', async () => {
  const price = await createListPrices().find('openai', 'whisper-1', 10, at);
  const tokens = { input: 10, cached: null, cacheWrite: null, output: 5, reasoning: null };
  expect(price && costOf(tokens, price)).toBeUndefined();
});
