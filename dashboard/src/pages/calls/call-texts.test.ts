import { expect, it, test } from 'vitest';
import { ownTimeText, priceLines, splitFallback, timingParts, tokensPerSecond } from './call-texts.ts';

const timing = (total_ms: number, presetd_ms: number, first_token_ms: number | null) =>
  timingParts({ total_ms, presetd_ms, first_token_ms }).map(({ share }) => Number(share.toFixed(3)));

it.each([
  [1_000, 10, 300, [0.01, 0.29, 0.7]],
  [1_000, 10, null, [0.01, 0.99, 0]],
  [100, 150, 20, [1, 0, 0]],
  [100, 0.5, 130, [0.005, 0.995, 0]],
  [0, 0, null, []],
])(
  'a call of %s ms with %s ms of presetd and the first token after %s has the parts %j',
  (total, own, first, parts) => {
    expect(timing(total, own, first)).toEqual(parts);
  },
);

it.each([
  [{ total_ms: 1_200, first_token_ms: 200 }, 100, 100],
  [{ total_ms: 1_000, first_token_ms: null }, 50, 50],
  [{ total_ms: 200, first_token_ms: 200 }, 50, undefined],
  [{ total_ms: 200, first_token_ms: null }, null, undefined],
  [{ total_ms: 200, first_token_ms: null }, 20, 100],
  [{ total_ms: 199, first_token_ms: null }, 20, undefined],
  [{ total_ms: 1_000, first_token_ms: 900 }, 80, undefined],
  [{ total_ms: 1_000, first_token_ms: null }, 19, undefined],
])('with %j, %s tokens are %s per second', (details, output, rate) => {
  expect(tokensPerSecond(details, output, null)).toBe(rate);
  expect(tokensPerSecond(details, output, 0)).toBe(rate);
});

test('reasoning before the first token does not make a stream look fast', () => {
  expect(tokensPerSecond({ total_ms: 1_200, first_token_ms: 1_000 }, 177, 143)).toBeUndefined();
  expect(tokensPerSecond({ total_ms: 1_000, first_token_ms: null }, 177, 143)).toBe(177);
});

test('a price lists what it is for', () => {
  expect(priceLines({ input_per_million: 1.25, output_per_million: 10, request: 0.001 })).toEqual([
    '$1.25 per million input tokens',
    '$10.00 per million output tokens',
    '$0.00100 per call',
  ]);
});

it.each([
  ['openai/gpt-5;rate_limited', { target: 'openai/gpt-5', reason: 'rate limited' }],
  ['odd', { target: 'odd', reason: '' }],
])('the fallback %s is %j', (text, parts) => {
  expect(splitFallback(text)).toEqual(parts);
});

test('the time of presetd is exact to a tenth of a millisecond', () => {
  expect([ownTimeText(0.52), ownTimeText(12.3)]).toEqual(['0.5 ms', '12 ms']);
});
