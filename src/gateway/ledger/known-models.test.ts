import { expect, it } from 'vitest';
import { KnownModels } from './known-models.ts';
import type { ObservedExchange } from './observed-exchange.ts';

const upstream = { name: 'main', models: ['*'] };

function call(model: string, changes: Partial<ObservedExchange> = {}) {
  const facts = { id: undefined, model: undefined, finishReason: undefined };
  const exchange = { candidate: { upstream, model }, facts, isComplete: false, ...changes };
  return { preset: undefined, exchange: exchange as ObservedExchange };
}

it('a model is known once an upstream has answered with it', () => {
  const models = new KnownModels();
  expect(models.isKnown('w', call('m'))).toBe(false);
  expect(models.isKnown('w', call('m', { isComplete: true }))).toBe(true);
  expect(models.isKnown('w', call('m'))).toBe(true);
});

it('a response that names its model is an answer, even if it was cut off', () => {
  const facts = { id: undefined, model: 'm-2026', finishReason: undefined };
  expect(new KnownModels().isKnown('w', call('m', { facts }))).toBe(true);
});

it('an upstream that answers to any name makes a bounded number of models known, and only to its workspace', () => {
  const models = new KnownModels();
  const answered = (workspace: string, index: number) =>
    models.isKnown(workspace, call(`m${index}`, { isComplete: true }));
  const known = Array.from({ length: 3_000 }, (_, index) => answered('noisy', index));
  expect(known.filter(Boolean)).toHaveLength(1_000);
  expect(answered('noisy', 999)).toBe(true);
  expect(answered('noisy', 1_000)).toBe(false);
  expect(answered('other', 2_000)).toBe(true);
});
