import { expect, test } from 'vitest';
import { namesOf } from './preset-picker.tsx';

test.each([
  ['', ['bot']],
  ['helper', ['bot', 'Helper-v1']],
  ['v1', ['bot', 'Helper-v1', 'old-v1']],
])('a search for %j offers the slug and the aliases that contain it', (q, names) => {
  const preset = { slug: 'bot', name: 'Bot', aliases: ['Helper-v1', 'old-v1', 'other'] };
  expect(namesOf(preset, q).map(({ name }) => name)).toEqual(names);
});
