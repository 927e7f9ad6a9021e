import { expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

const image = `data:image/png;base64,${'A'.repeat(1_000_000)}`;

it.each([
  ['', 0],
  ['{"a":"words"}', 4],
  [JSON.stringify({ url: image }), 1_600 + 6],
  [JSON.stringify([image, image]), 2 * 1_600 + 9],
  [image, 1_600 + 4],
])('the tokens of request %# are estimated by its length, without the data of files', (json, tokens) => {
  expect(estimateTokens(json)).toBe(tokens);
});
