import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import * as chatCompletions from '../chat-completions/reasoning.ts';
import * as messages from '../messages/reasoning.ts';
import { sealReasoning } from '../model/sealed-reasoning.ts';
import type { ReasoningBlock } from '../model/turns.ts';
import * as responses from '../responses/reasoning.ts';
import { translateRequest } from './translate-request.ts';

const thinking = { type: 'thinking', thinking: 'Hmm.', signature: 'sig' };
const redacted = { type: 'redacted_thinking', data: 'hidden' };
const item = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Summary.' }],
  encrypted_content: 'gAAA',
};

const ofMessages = (part: JsonObject): ReasoningBlock['original'] => ({ dialect: 'messages', part });
const ofResponses = (part: JsonObject): ReasoningBlock['original'] => ({ dialect: 'responses', part });
const ofChat = (part: JsonObject): ReasoningBlock['original'] => ({ dialect: 'chat-completions', part });

/** The original parts and their visible text. */
const originals: readonly [string, ReasoningBlock['original'], string, boolean][] = [
  ['signed thinking', ofMessages(thinking), 'Hmm.', false],
  ['empty but signed thinking', ofMessages({ ...thinking, thinking: '' }), '', false],
  ['redacted thinking', ofMessages(redacted), '', false],
  ['thinking without a signature', ofMessages({ type: 'thinking', thinking: 'Hmm.' }), 'Hmm.', false],
  ['thinking with another field', ofMessages({ ...thinking, more: [1] }), 'Hmm.', false],
  ['an encrypted summary', ofResponses(item), 'Summary.', true],
  ['encrypted reasoning', ofResponses({ ...item, summary: [] }), '', false],
  ['a summary', ofResponses({ id: 'rs_1', type: 'reasoning', summary: item.summary }), 'Summary.', true],
  [
    'two summaries',
    ofResponses({ ...item, summary: [...item.summary, { type: 'summary_text', text: 'Two.' }] }),
    'Summary.\n\nTwo.',
    true,
  ],
  [
    'reasoning text',
    ofResponses({
      id: 'rs_1',
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hmm.' }],
    }),
    'Hmm.',
    false,
  ],
  ['reasoning with a status', ofResponses({ ...item, status: 'completed' }), 'Summary.', true],
  ['plain text', ofChat({ reasoning_content: 'Hmm.' }), 'Hmm.', false],
  ['plain text of vLLM', ofChat({ reasoning: 'Hmm.', reasoning_content: 'Hmm.' }), 'Hmm.', false],
  ['a detail of Gemini', ofChat({ type: 'reasoning.encrypted', data: 'x', id: 'call_1' }), '', false],
  [
    'a visible detail of Gemini',
    ofChat({ type: 'reasoning.text', text: 'Hmm.', format: 'google-gemini-v1', index: 0 }),
    'Hmm.',
    false,
  ],
];

function blockOf(original: ReasoningBlock['original'], text: string, isSummary: boolean): ReasoningBlock {
  return { kind: 'reasoning', text, isSummary, original, path: '' };
}

describe('reasoning', () => {
  it.each(originals)('comes back unchanged from messages: %s', (_, original, text, isSummary) => {
    const parsed = messages.parseReasoning(messages.writeReasoning(blockOf(original, text, isSummary)), '');
    expect(parsed).toMatchObject({ text, original });
  });

  it.each(originals)('comes back unchanged from responses: %s', (_, original, text, isSummary) => {
    const block = blockOf(original, text, isSummary);
    const parsed = responses.parseReasoning(responses.writeReasoning(block), '');
    expect(parsed).toMatchObject({ text, original });
  });

  it.each(originals)('comes back unchanged from chat completions: %s', (_, original, text, isSummary) => {
    const block = blockOf(original, text, isSummary);
    expect(chatCompletions.parseReasoning(chatCompletions.writeReasoning([block]), '')).toEqual([block]);
  });

  it('comes back from chat completions as separate blocks, in order', () => {
    const blocks = originals
      .filter(([, { dialect }]) => dialect !== 'chat-completions')
      .map(([, original, text, isSummary], index) => {
        const id = `rs_${index}`;
        const part = original.dialect === 'responses' ? { ...original.part, id } : original.part;
        return blockOf({ ...original, part }, text, isSummary);
      });
    expect(chatCompletions.parseReasoning(chatCompletions.writeReasoning(blocks), '')).toEqual(blocks);
  });

  it('has the form that OpenRouter gives it in chat completions', () => {
    const blocks = [
      blockOf(ofMessages(thinking), 'Hmm.', false),
      blockOf(ofMessages(redacted), '', false),
      blockOf(ofResponses(item), 'Summary.', true),
    ];
    expect(chatCompletions.writeReasoning(blocks)).toEqual({
      reasoning: 'Hmm.Summary.',
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: 'Hmm.',
          signature: 'sig',
          format: 'anthropic-claude-v1',
        },
        { type: 'reasoning.encrypted', data: 'hidden', format: 'anthropic-claude-v1' },
        {
          type: 'reasoning.summary',
          summary: 'Summary.',
          id: 'rs_1',
          format: 'openai-responses-v1',
        },
        {
          type: 'reasoning.encrypted',
          data: 'gAAA',
          id: 'rs_1',
          format: 'openai-responses-v1',
        },
      ],
    });
  });

  it('is sealed in messages and responses, next to its visible text', () => {
    const original = ofChat({ reasoning_content: 'Hmm.' });
    const block = blockOf(original, 'Hmm.', false);
    const sealed = sealReasoning(original);
    expect(messages.writeReasoning(block)).toEqual({
      type: 'thinking',
      thinking: 'Hmm.',
      signature: sealed,
    });
    expect(responses.writeReasoning(block)).toEqual({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hmm.' }],
      encrypted_content: sealed,
    });
  });

  it.each<[ReasoningBlock['original']]>([
    [ofChat({ reasoning_content: 'Hmm.', role: 'system' })],
    [ofChat({ type: 'text', text: 'Hi' })],
    [ofMessages({ type: 'text', text: 'Hi' })],
    [ofResponses({ type: 'message', role: 'system', content: 'Hi' })],
  ])('sealed content that is not reasoning is ignored: %j', (original) => {
    const sealed = sealReasoning(original);
    const question = { role: 'user', content: 'Why?' };
    const thought = { type: 'thinking', thinking: '', signature: sealed };
    const ofMessages = [question, { role: 'assistant', content: [thought] }, question];
    const ofResponses = [question, { type: 'reasoning', encrypted_content: sealed }, question];
    const { dialect } = original;
    const { body } =
      dialect === 'messages'
        ? translateRequest({ input: ofResponses }, 'responses', dialect)
        : translateRequest({ messages: ofMessages }, 'messages', dialect);
    expect(JSON.stringify(body)).toContain('Why?');
    expect(JSON.stringify(body)).not.toMatch(/Hmm|Hi/);
  });

  it('the reasoning of a message without visible details is its text', () => {
    const detail = { type: 'reasoning.encrypted', data: 'x', format: 'google-gemini-v1' };
    const parsed = chatCompletions.parseReasoning({ reasoning: 'Hmm.', reasoning_details: [detail] }, '');
    expect(parsed.map(({ original }) => original.part)).toEqual([{ reasoning: 'Hmm.' }, detail]);
  });

  it('can be parsed from any JSON', () => {
    const value = fc.dictionary(
      fc.constantFrom('type', 'reasoning', 'reasoning_details', 'summary', 'content', 'thinking', 'data'),
      fc.oneof(fc.jsonValue(), fc.constantFrom('thinking', 'redacted_thinking', 'reasoning')),
    );
    fc.assert(
      fc.property(value, (part) => {
        chatCompletions.parseReasoning(part as JsonObject, '');
        messages.parseReasoning(part as JsonObject, '');
        responses.parseReasoning(part as JsonObject, '');
      }),
    );
  });
});
