import { expect, test } from 'vitest';
import { findCacheWarnings } from './cached-prompt.ts';

const cached = [
  { type: 'text', text: 'One' },
  { type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } },
];

test.each([
  ['a block of Anthropic', { system: cached, messages: [] }, '/system/1/cache_control'],
  [
    'a system message',
    { messages: [{ role: 'system', content: cached }] },
    '/messages/0/content/1/cache_control',
  ],
  [
    'an item of Responses',
    { input: [{ role: 'developer', content: cached }] },
    '/input/0/content/1/cache_control',
  ],
])('a warning points to the cache of %s', (_, request, path) => {
  expect(findCacheWarnings(request)).toMatchObject([{ path }]);
});

test('the conversation and the cache of the whole request cause no warning', () => {
  const messages = [{ role: 'user', content: cached }];
  expect(findCacheWarnings({ cache_control: { type: 'ephemeral' }, system: 'One', messages })).toEqual([]);
});
