import { expect, it } from 'vitest';
import { firstIdAt } from '../../core/ledger/call-record.ts';
import type { CountedCall } from '../../core/ledger/ledger-storage.ts';
import type { GatewaySettings } from '../upstreams/upstream.ts';
import { createListPrices } from './list-prices.ts';
import { createCallPricing } from './price-stored-call.ts';

const price = { inputPerMillion: 3 };
const prices = [{ pattern: '*', price }];
const settings = { upstreams: [{ name: 'main', kind: 'vllm', prices }] } as unknown as GatewaySettings;
const priceCall = createCallPricing(settings, createListPrices());

const call: CountedCall = {
  id: firstIdAt(Date.parse('2026-11-18T12:00:00Z')),
  groupId: 1,
  model: 'm',
  upstream: 'main',
  dialect: 'chat-completions',
  respondingModel: null,
  tokens: { input: 1_000_000, cached: null, cacheWrite: null, output: 1, reasoning: null },
  cost: { nanos: 1, source: 'file', price: { inputPerMillion: 1 } },
};

it.each<[title: string, cost: CountedCall['cost']]>([
  ['was computed', call.cost],
  ['is not known', { nanos: null, source: null, price: null }],
])('a call whose cost %s is priced again', async (_, cost) => {
  expect(await priceCall({ ...call, cost })).toEqual({ nanos: 3_000_000_000, source: 'file', price });
});

it.each<[title: string, cost: CountedCall['cost']]>([
  ['was reported', { nanos: 5, source: 'upstream', price: null }],
  ['is that of several attempts', { nanos: 5, source: 'file', price: null }],
  ['is none', { nanos: 0, source: 'free', price: null }],
])('a call whose cost %s keeps it', async (_, cost) => {
  expect(await priceCall({ ...call, cost })).toBeUndefined();
});
