import type Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../../core/presets/preset.ts';
import { insertMessages, translateMessages } from './apply-messages.ts';
import type { PresetMessage } from './messages.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));
const url = 'https://a.example/b.png';

const item = { type: 'input_image', image_url: url, detail: 'auto' } as const;
const question = { type: 'input_text', text: 'What is it?' } as const;
const answer = { role: 'assistant', content: 'A cat.' } as const;

/** The same turns in each dialect; the SDKs' types check their form. */
const translated = {
  [chat]: [
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: 'What is it?' },
      ],
    },
    { role: 'assistant', content: 'A cat.' },
  ] satisfies OpenAI.Chat.ChatCompletionMessageParam[],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'url', url } },
        { type: 'text', text: 'What is it?' },
      ],
    },
    { role: 'assistant', content: 'A cat.' },
  ] satisfies Anthropic.MessageParam[],
  responses: [
    { type: 'message', role: 'user', content: [item, question] },
    { type: 'message', role: 'assistant', content: 'A cat.' },
  ] satisfies OpenAI.Responses.ResponseInputItem[],
};

/** As they are stored: without the type that messages of responses have. */
function stored(dialect: Dialect): readonly PresetMessage[] {
  return translated[dialect].map(({ role, content }) => ({ role, content }) as PresetMessage);
}

function translate(messages: readonly PresetMessage[], from: Dialect, to: Dialect) {
  const { turns, droppedFields } = translateMessages(messages, from, to);
  return { messages: turns.map(({ message }) => message), droppedFields };
}

describe.each(pairs)('the messages of a preset of %s in a call of %s', (from, to) => {
  it('are translated without loss', () => {
    expect(translate(stored(from), from, to)).toEqual({
      messages: translated[to],
      droppedFields: [],
    });
  });

  it("may contain OpenAI's input items", () => {
    const messages = [{ role: 'user', content: [item, question] } as const, answer];
    expect(translate(messages, from, to)).toEqual({ messages: translated[to], droppedFields: [] });
  });

  it('lose parts by name', () => {
    const messages = [answer, { role: 'user', content: [question, { ...item, detail: 'low' }] }] as const;
    expect(translate(messages, from, to).droppedFields).toEqual(
      to === 'messages' ? ['presetd.messages.0', 'presetd.messages.1.content.1.detail'] : [],
    );
  });

  it('are not modified themselves', () => {
    const messages = stored(from);
    const before = JSON.stringify(messages);
    translate(messages, from, to);
    expect(JSON.stringify(messages)).toBe(before);
  });
});

describe('messages that another dialect cannot express', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } } as const;
  const spoken = { role: 'user', content: [audio] } as const;
  const hi = { role: 'user', content: 'Hi' } as const;
  const hello = { role: 'assistant', content: 'Hello' } as const;
  const text = { type: 'text', text: 'Hi' } as const;

  it.each<[string, readonly PresetMessage[], readonly JsonObject[], readonly string[]]>([
    ['a question takes its answer with it', [spoken, hello, hi, hello], [hi, hello], ['0', '1']],
    [
      'an answer takes its questions with it',
      [hi, hello, hi, spoken, hello, hello],
      [hi, hello],
      ['2', '3', '4', '5'],
    ],
    ['a last question goes alone', [hi, hello, spoken], [hi, hello], ['2']],
    ['a greeting goes alone', [hello, hello, hi, hello], [hi, hello], ['0', '1']],
    ['nothing may be left', [spoken, hello], [], ['0', '1']],
    [
      'a part goes alone',
      [{ role: 'user', content: [text, audio] }, hello],
      [{ role: 'user', content: [text] }, hello],
      ['0.content.1'],
    ],
  ])('%s', (_, messages, kept, dropped) => {
    expect(translate(messages, chat, 'messages')).toEqual({
      messages: kept,
      droppedFields: dropped.map((path) => `presetd.messages.${path}`),
    });
  });

  it('a greeting stays where conversations may start with it', () => {
    expect(translate([hello, hi], 'responses', chat).messages).toEqual([hello, hi]);
  });
});

describe.each(dialects)('insertMessages in %s', (dialect) => {
  const field = dialect === 'responses' ? 'input' : 'messages';
  const examples = [
    { role: 'user', content: 'Example' },
    { role: 'assistant', content: 'Result' },
  ];
  const system = { role: 'system', content: 'Be brief.' };
  const developer = { role: 'developer', content: 'Be kind.' };
  const own = { role: 'user', content: 'Hi' };

  it.each([
    ['the messages of the request', [own], [...examples, own]],
    ['an empty list', [], examples],
    [
      'system messages at the start',
      [system, developer, own, system],
      [system, developer, ...examples, own, system],
    ],
    ['nothing but system messages', [system], [system, ...examples]],
    // Only items of responses have types. Elsewhere, servers ignore the field.
    dialect === 'responses'
      ? [
          'an item with a type of its own',
          [{ ...system, type: 'other' }],
          [...examples, { ...system, type: 'other' }],
        ]
      : [
          'a system message with an unknown field',
          [{ ...system, type: 'other' }],
          [{ ...system, type: 'other' }, ...examples],
        ],
    [
      'a typed system message',
      [{ ...system, type: 'message' }],
      [{ ...system, type: 'message' }, ...examples],
    ],
    ['entries that are not messages', [null, 'Hi', 1], [...examples, null, 'Hi', 1]],
  ])('handles %s', (_, before, after) => {
    const request = { model: 'a', [field]: before };
    expect(insertMessages(request, examples, dialect)).toEqual({
      body: { model: 'a', [field]: after },
      droppedFields: [],
    });
    expect(request).toEqual({ model: 'a', [field]: before });
  });

  it('gives a request without messages the examples alone', () => {
    expect(insertMessages({}, examples, dialect)).toEqual({ body: { [field]: examples }, droppedFields: [] });
  });

  it.each([
    { [field]: null },
    { [field]: 7 },
    { [field]: { role: 'user' } },
    ...(dialect === 'responses'
      ? [
          { input: [own], previous_response_id: 'resp_1' },
          { input: 'Hi', conversation: 'conv_1' },
          { conversation: { id: 'conv_1' } },
        ]
      : [{ messages: 'Hi' }]),
    ...(dialect === chat ? [{ prompt: 'Once upon' }, { prompt: 'Once upon', messages: null }] : []),
  ])('leaves %j as it is and reports the examples as dropped', (request) => {
    const { body, droppedFields } = insertMessages(request, examples, dialect);
    expect(body).toBe(request);
    expect(droppedFields).toEqual(['presetd.messages']);
  });

  it('returns the same request if there are no examples', () => {
    const request = { [field]: 7 };
    expect(insertMessages(request, [], dialect)).toEqual({ body: request, droppedFields: [] });
  });

  it('accepts any value in any field', () => {
    const names = ['messages', 'input', 'prompt', 'previous_response_id', 'conversation', '__proto__'];
    const anyRequest = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
    fc.assert(
      fc.property(anyRequest, (request) => {
        const { body, droppedFields } = insertMessages(request, examples, dialect);
        expect(droppedFields.length === 0).toBe(body !== request);
        for (const name of Object.keys(request).filter((other) => other !== field))
          expect(Object.getOwnPropertyDescriptor(body, name)?.value).toBe(
            Object.getOwnPropertyDescriptor(request, name)?.value,
          );
      }),
      { seed: 1 },
    );
  });
});

it('a string input becomes a user message after the examples', () => {
  const message = {
    type: 'message',
    role: 'user',
    content: 'Hi',
  } satisfies OpenAI.Responses.EasyInputMessage;
  const example = { ...message, content: 'Example' };
  // Some clients send an empty id for a new conversation.
  for (const id of [null, '']) {
    const { body } = insertMessages({ input: 'Hi', previous_response_id: id }, [example], 'responses');
    expect(body).toEqual({ input: [example, message], previous_response_id: id });
  }
});
