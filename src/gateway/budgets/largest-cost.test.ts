import { expect, it } from 'vitest';
import type { Price } from '../../core/ledger/price.ts';
import type { ListPrices } from '../ledger/list-prices.ts';
import type { Candidate } from '../plan/router.ts';
import type { UpstreamKind } from '../upstreams/upstream.ts';
import { type LargestCost, largestCost } from './largest-cost.ts';

const prices: Readonly<Record<string, Price>> = {
  small: { inputPerMillion: 1, outputPerMillion: 2 },
  large: { inputPerMillion: 4, outputPerMillion: 8, cachedInputPerMillion: 0.4, cacheWritePerMillion: 5 },
  embedder: { inputPerMillion: 1, outputPerMillion: 99 },
  painter: { request: 0.25 },
};
const listPrices: ListPrices = { find: (_, model) => prices[model] };

/** Of a request whose input has two tokens. */
function costOf(
  json: object,
  { model = 'small', fallbacks = [] as string[], label = 'chat-completions' } = {},
): LargestCost | undefined | Promise<LargestCost | undefined> {
  const upstream = { kind: 'openai' satisfies UpstreamKind, prices: [], stripPrefix: '' };
  const candidate = { upstream, dialect: 'chat-completions', model, fallbacks } as unknown as Candidate;
  return largestCost(candidate, { body: 'two words', json: { ...json } }, label, listPrices);
}

it('input is estimated, and each token of output has its price', () => {
  expect(costOf({ max_tokens: 10 })).toEqual({ fixed: 3_000, perOutputToken: 2_000, outputLimit: 10 });
  expect(costOf({})).toMatchObject({ outputLimit: undefined });
});

it('the largest of several output limits counts', () => {
  expect(costOf({ max_tokens: 10, max_completion_tokens: 30 })).toMatchObject({ outputLimit: 30 });
  expect(costOf({ max_output_tokens: 7, max_tokens: null })).toMatchObject({ outputLimit: 7 });
});

it('each choice has output', () => {
  expect(costOf({ n: 3 })).toMatchObject({ perOutputToken: 6_000 });
  expect(costOf({ n: 2, best_of: 5 })).toMatchObject({ perOutputToken: 10_000 });
  for (const n of [null, -3, 'x']) expect(costOf({ n })).toMatchObject({ perOutputToken: 2_000 });
  expect(costOf({ n: '4' })).toMatchObject({ perOutputToken: 8_000 });
});

it('each prompt of a list has output, and a prompt of tokens is one', () => {
  expect(costOf({ prompt: ['a', 'b', 'c'], n: 2 })).toMatchObject({ perOutputToken: 12_000 });
  expect(costOf({ prompt: [[1, 2], [3]] })).toMatchObject({ perOutputToken: 4_000 });
  for (const prompt of ['a', [1, 2, 3], []])
    expect(costOf({ prompt })).toMatchObject({ perOutputToken: 2_000 });
});

it('a limit that is not a positive number limits nothing', () => {
  for (const limit of [-1, 0, '9'])
    for (const json of [{ max_tokens: limit }, { max_tokens: 5, max_completion_tokens: limit }])
      expect(costOf(json)).toMatchObject({ outputLimit: undefined });
});

it('input may be written to a cache, which costs more', () => {
  expect(costOf({}, { model: 'large' })).toMatchObject({ fixed: 15_000 });
});

it('the most expensive fallback of an upstream counts, and all need a price', () => {
  expect(costOf({}, { fallbacks: ['large'] })).toMatchObject({ fixed: 15_000, perOutputToken: 8_000 });
  expect(costOf({}, { fallbacks: ['unknown'] })).toBeUndefined();
});

it('endpoints without output cost their input', () => {
  for (const label of ['embeddings', 'rerank', 'moderations'])
    expect(costOf({}, { model: 'embedder', label })).toMatchObject({ fixed: 3_000, perOutputToken: 0 });
});

it('images and sound cost what a request costs in the upstream file, and list prices do not count', () => {
  expect(costOf({}, { model: 'painter', label: 'images/generations' })).toBeUndefined();
  expect(costOf({}, { model: 'painter', label: 'chat-completions' })).toMatchObject({ fixed: 250_000_000 });
});

it('prices may have to be loaded first', async () => {
  const loading: ListPrices = { find: (_, model) => Promise.resolve(prices[model]) };
  const candidate = {
    upstream: { kind: 'openai', prices: [], stripPrefix: '' },
    model: 'small',
    fallbacks: ['large'],
  } as unknown as Candidate;
  const cost = largestCost(candidate, { body: null }, 'chat-completions', loading);
  expect(cost).toBeInstanceOf(Promise);
  expect(await cost).toMatchObject({ fixed: 0, perOutputToken: 8_000 });
});
