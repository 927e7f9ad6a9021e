import { describe, expect, test } from 'vitest';
import { cannedResult, type Message, toolCallsOf } from '../../../features/runs/message.ts';
import type { CallInputs } from './column-call.ts';
import { followUp, isComplete, messageOf } from './conversation.ts';
import { emptyResponse } from './model-response.ts';

const inputs: CallInputs = {
  source: 'live',
  model: '',
  version: 2,
  draft: undefined,
  dialect: 'chat-completions',
  messages: [{ role: 'user', content: 'Hi' }],
  variables: undefined,
};

const called = messageOf(
  {
    text: '',
    reasoning: '',
    isComplete: true,
    toolCalls: [{ index: 0, name: 'find_parcel', argumentText: '{"number":"1"}' }],
  },
  1,
);
const result = { role: 'tool', tool_call_id: 'call_1_1', content: 'At the depot' };

describe('a conversation', () => {
  test('can be sent if the last word is not the assistant’s', () => {
    expect(isComplete([])).toBe(false);
    expect(isComplete(inputs.messages)).toBe(true);
    expect(isComplete([...inputs.messages, called])).toBe(false);
    expect(isComplete([...inputs.messages, called, result])).toBe(true);
  });

  test('continues with the tool calls of a response and remembers their results', () => {
    expect(toolCallsOf(called)).toEqual([
      { id: 'call_1_1', name: 'find_parcel', argumentText: '{"number":"1"}' },
    ]);
    expect(cannedResult([called, result], 'find_parcel')).toBe('At the depot');
    expect(cannedResult([called, result], 'other')).toBeUndefined();
  });
});

describe('a follow-up', () => {
  const asked: Message = { role: 'user', content: 'Hi' };
  const next: Message = { role: 'user', content: 'And?' };
  const answer = (changed: object = {}, messages: readonly Message[] = [asked]) => ({
    phase: 'done' as const,
    inputs: { ...inputs, messages },
    response: { ...emptyResponse, text: 'Hello', ...changed },
  });
  const calling = answer({ toolCalls: [{ index: 0, name: 'find', argumentText: '{}' }] });
  const said = { role: 'assistant', content: 'Hello' };

  test.each([
    ['comes first if nothing ran', [], [undefined], [next], undefined],
    ['follows the answer of a single column', [asked], [answer()], [asked, said, next], undefined],
    [
      'follows it after a turn was edited',
      [{ ...asked, content: 'Hey' }],
      [answer()],
      [{ ...asked, content: 'Hey' }, said, next],
      undefined,
    ],
    [
      'does not follow an answer to more turns',
      [asked],
      [answer({}, [asked, said, next])],
      [asked, next],
      undefined,
    ],
    ['waits for tool results', [asked], [calling], [asked, next], 'Send the tool results first'],
    [
      'waits for the choice of one of several answers',
      [asked],
      [answer(), calling],
      [asked, next],
      'Choose “Continue with this response” in a column first',
    ],
  ])('a follow-up %s', (_, messages, runs, expected, problem) => {
    expect(followUp(messages, runs, next)).toEqual({ messages: expected, ...(problem && { problem }) });
  });
});
