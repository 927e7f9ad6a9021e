import { describe, expect, test } from 'vitest';
import { importRequest } from './import-request.ts';

const body = { model: 'openai/gpt-5', messages: [{ role: 'user', content: 'It\'s "fine"\n' }] };
const json = JSON.stringify(body);
const url = 'https://openrouter.ai/api/v1/chat/completions';

describe('a pasted request', () => {
  const user = { role: 'user', content: 'Hi' };

  test.each([
    [
      'chat completions',
      { model: 'a', seed: 7, messages: [{ role: 'system', content: 'Be kind.' }, user] },
      { model: 'a', seed: 7, messages: [{ role: 'system', content: 'Be kind.' }] },
    ],
    [
      'messages',
      { model: 'a', max_tokens: 9, system: 'Be kind.', messages: [user] },
      { model: 'a', max_tokens: 9, system: 'Be kind.', messages: [] },
    ],
    [
      'responses',
      { model: 'a', instructions: 'Be kind.', input: 'Hi', max_output_tokens: 9 },
      { model: 'a', instructions: 'Be kind.', max_output_tokens: 9 },
    ],
  ])('a pasted request of %s is split into a draft and a conversation', (_dialect, pasted, draft) => {
    const imported = importRequest(JSON.stringify(pasted));
    expect(JSON.parse(imported?.text ?? '')).toEqual(draft);
    expect(imported?.messages).toEqual([user]);
  });

  test('may be a curl line', () => {
    expect(importRequest(`curl ${url} -d '${json.replaceAll("'", `'\\''`)}'`)?.messages).toEqual(
      body.messages,
    );
  });

  test('keeps as much as possible of a conversation that only its own format has', () => {
    const input = [{ type: 'item_reference', id: 'msg_1' }];
    const request = { model: 'm', instructions: 'Be kind.', input };
    expect(importRequest(JSON.stringify(request))).toMatchObject({ dialect: 'responses', messages: [] });
  });

  test.each([['{"name": "Ada"}'], ['{"model": "a"'], ['[1]'], ['Be kind. {"model": "a"}'], ['']])(
    'is not recognized in %j',
    (text) => {
      expect(importRequest(text)).toBeUndefined();
    },
  );
});
