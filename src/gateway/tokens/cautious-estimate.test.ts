import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { estimateTokensCautiously } from './cautious-estimate.ts';

const random = createRandom(7);
const lines = (line: () => string) => Array.from({ length: 200 }, line).join('\n');
const hex = (characters: number) =>
  Array.from({ length: characters }, () => random.below(16).toString(16)).join('');

/** The estimated tokens for each real one are between these. */
it.each<[text: string, content: string, least: number, most: number]>([
  ['prose is', lines(() => 'The order was placed yesterday, and it should have arrived by now.'), 1, 1.6],
  ['code is', lines(() => 'const found = rows.find(({ userId }) => userId === owner.id)?.name;'), 1, 1.6],
  ['names are', lines(() => 'Ada Lovelace Met Charles Babbage In London'), 0.9, 1.2],
  [
    'prices are',
    lines(() => `${random.below(1_000)}.${random.below(100)},${random.below(9_999)}`),
    0.95,
    1.5,
  ],
  ['ids are', lines(() => `${hex(8)}-${hex(4)}-${hex(4)}-${hex(12)}`), 0.9, 1.3],
  ['records are', JSON.stringify(lines(() => `{"id":${random.below(9_999)},"at":"${hex(6)}"}`)), 0.9, 1.5],
  ['Chinese is', lines(() => '订单昨天已经下了，本来应该在星期四送到。'), 1, 1.5],
  ['emoji are', lines(() => '🦊🚀🎉'), 0.8, 1.6],
])('%s estimated within bounds', (_, content, least, most) => {
  const body = JSON.stringify({ messages: [{ role: 'user', content }] });
  for (const form of [body, Buffer.from(body)]) {
    const ratio = estimateTokensCautiously(form) / countTokens(content);
    expect(ratio).toBeGreaterThan(least);
    expect(ratio).toBeLessThan(most);
  }
});

it('the data of a file counts as an image', () => {
  const url = `data:image/png;base64,${hex(100_000)}`;
  const tokens = estimateTokensCautiously(JSON.stringify({ messages: [{ image_url: { url } }] }));
  expect(tokens).toBeGreaterThan(1_600);
  expect(tokens).toBeLessThan(1_650);
});
