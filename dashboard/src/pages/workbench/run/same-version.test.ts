import { expect, test } from 'vitest';
import { versionToRequest } from '../../../features/request/version-to-request.ts';
import { isSameVersion } from './same-version.ts';

const saved = versionToRequest({
  dialect: 'chat-completions',
  system_prompt: 'Be brief.',
  config: { model: 'a', temperature: 0.5 },
  presetd: { note: 'Shorter', variables: { tone: { type: 'string' } } },
});

const variables = { tone: { type: 'string' } };
const messages = [{ role: 'system', content: 'Be brief.' }];

test.each<[what: string, draft: object]>([
  ['other formatting and order', { temperature: 0.5, presetd: { variables }, messages, model: 'a' }],
  [
    'a note and whether it goes live',
    { model: 'a', messages, temperature: 0.5, presetd: { note: 'x', variables, designate: false } },
  ],
  [
    'what a capture does not save',
    {
      ...{ model: 'a', temperature: 0.5, presetd: { variables }, stream: true, user: 'ada' },
      messages: [...messages, { role: 'user', content: 'Hello' }],
    },
  ],
])('a draft with %s is the version that was saved of it', (_, draft) => {
  expect(isSameVersion(JSON.stringify(draft), saved, 'chat-completions')).toBe(true);
});

test.each<[what: string, draft: string]>([
  ['another prompt', saved.replace('brief', 'kind')],
  ['another setting', saved.replace('0.5', '0.6')],
  ['other variables', saved.replace('tone', 'mood')],
  ['half a field', saved.slice(0, -2)],
  ['messages that are no list', '{"messages":1}'],
  ['nothing', ''],
])('a draft with %s is another version', (_, draft) => {
  expect(isSameVersion(draft, saved, 'chat-completions')).toBe(false);
  expect(isSameVersion(saved, draft, 'chat-completions')).toBe(false);
});
