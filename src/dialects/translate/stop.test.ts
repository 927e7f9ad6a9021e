import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import * as chatCompletions from '../chat-completions/stop-reason.ts';
import * as messages from '../messages/stop-reason.ts';
import type { Stop } from '../model/completion.ts';
import { agreeWithCalls } from '../model/stop.ts';
import * as responses from '../responses/stop-reason.ts';

const stops = { 'chat-completions': chatCompletions, messages, responses };
const completed = { status: 'completed', incomplete_details: null };
const incomplete = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } });

describe('a stop reason', () => {
  it.each<[Stop['reason'], JsonObject, string | null, JsonObject]>([
    ['end', { finish_reason: 'stop' }, 'end_turn', completed],
    ['length', { finish_reason: 'length' }, 'max_tokens', incomplete('max_output_tokens')],
    ['tool-calls', { finish_reason: 'tool_calls' }, 'tool_use', completed],
    ['refusal', { finish_reason: 'content_filter' }, 'refusal', incomplete('content_filter')],
    ['pause', { finish_reason: 'stop' }, 'pause_turn', completed],
  ])('"%s" can be written in every dialect', (reason, choice, stopReason, response) => {
    expect(chatCompletions.writeStop({ reason })).toEqual(choice);
    expect(messages.writeStop({ reason })).toEqual({ stop_reason: stopReason, stop_sequence: null });
    expect(responses.writeStop({ reason })).toEqual(response);
  });

  it.each<[keyof typeof stops, JsonObject, Stop]>([
    ['chat-completions', { finish_reason: 'stop' }, { reason: 'end', original: 'stop' }],
    [
      'chat-completions',
      { finish_reason: 'stop', stop_reason: 'END' },
      { reason: 'end', sequence: 'END', original: 'stop' },
    ],
    ['chat-completions', { finish_reason: 'length' }, { reason: 'length', original: 'length' }],
    ['chat-completions', { finish_reason: 'tool_calls' }, { reason: 'tool-calls', original: 'tool_calls' }],
    [
      'chat-completions',
      { finish_reason: 'function_call' },
      { reason: 'tool-calls', original: 'function_call' },
    ],
    [
      'chat-completions',
      { finish_reason: 'content_filter' },
      { reason: 'refusal', original: 'content_filter' },
    ],
    ['chat-completions', { finish_reason: 'eos' }, { reason: 'end', original: 'eos' }],
    ['chat-completions', { finish_reason: null }, { reason: 'end' }],
    [
      'chat-completions',
      { finish_reason: 'repetition', stop_reason: 5 },
      { reason: 'end', original: 'repetition' },
    ],
    ['chat-completions', { finish_reason: 'stop', stop_reason: '' }, { reason: 'end', original: 'stop' }],
    ['messages', { stop_reason: 'end_turn', stop_sequence: null }, { reason: 'end', original: 'end_turn' }],
    [
      'messages',
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
      { reason: 'end', sequence: 'END', original: 'stop_sequence' },
    ],
    ['messages', { stop_reason: 'max_tokens' }, { reason: 'length', original: 'max_tokens' }],
    [
      'messages',
      { stop_reason: 'model_context_window_exceeded' },
      { reason: 'length', original: 'model_context_window_exceeded' },
    ],
    ['messages', { stop_reason: 'tool_use' }, { reason: 'tool-calls', original: 'tool_use' }],
    ['messages', { stop_reason: 'refusal' }, { reason: 'refusal', original: 'refusal' }],
    ['messages', { stop_reason: 'pause_turn' }, { reason: 'pause', original: 'pause_turn' }],
    ['messages', { stop_reason: 'toString' }, { reason: 'end', original: 'toString' }],
    ['responses', completed, { reason: 'end' }],
    ['responses', incomplete('max_output_tokens'), { reason: 'length', original: 'max_output_tokens' }],
    ['responses', incomplete('content_filter'), { reason: 'refusal', original: 'content_filter' }],
    ['responses', { status: 'incomplete' }, { reason: 'length' }],
    ['responses', {}, { reason: 'end' }],
  ])('a stop reason of %s is parsed from %j', (dialect, fields, expected) => {
    expect(stops[dialect].parseStop(fields, () => {})).toEqual(expected);
  });

  it.each<[keyof typeof stops, JsonObject, string]>([
    ['chat-completions', { finish_reason: 'repetition' }, 'choices.*.finish_reason'],
    ['messages', { stop_reason: 'compaction' }, 'stop_reason'],
    ['messages', { stop_reason: 'toString' }, 'stop_reason'],
    ['responses', { status: 'archived' }, 'status'],
    ['responses', incomplete('steered'), 'incomplete_details.reason'],
  ])('a stop reason of %s that is not known is named: %j', (dialect, fields, path) => {
    const dropped: string[] = [];
    stops[dialect].parseStop(fields, (each) => dropped.push(each));
    expect(dropped).toEqual([path]);
  });

  it.each<[keyof typeof stops, JsonObject]>([
    ...['stop', 'length', 'tool_calls', 'content_filter', 'eos', 'SAFETY', null].map(
      (finish_reason): [keyof typeof stops, JsonObject] => ['chat-completions', { finish_reason }],
    ),
    ['messages', { stop_reason: 'pause_turn' }],
    ['messages', { stop_reason: null }],
    ['responses', completed],
    ['responses', incomplete('content_filter')],
    ['responses', { status: 'incomplete' }],
    ['responses', {}],
  ])('a stop reason of %s that is known is not named: %j', (dialect, fields) => {
    const dropped: string[] = [];
    stops[dialect].parseStop(fields, (each) => dropped.push(each));
    expect(dropped).toEqual([]);
  });

  it.each<[string, Stop['reason']]>([
    ['eos_token', 'end'],
    ['stop_sequence', 'end'],
    ['max_tokens', 'length'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['safety', 'refusal'],
    ['RECITATION', 'refusal'],
    ['sensitive', 'refusal'],
  ])('the finish reason %s of other servers is "%s"', (finish_reason, expected) => {
    expect(chatCompletions.parseStop({ finish_reason }, expect.unreachable).reason).toBe(expected);
  });

  it.each([
    ...['error', 'abort', 'insufficient_system_resource', 'malformed_function_call', 'network_error'],
    ...['MALFORMED_FUNCTION_CALL', 'function_call_filter: MALFORMED_FUNCTION_CALL'],
  ])('the finish reason "%s" is a failure', (finish_reason) => {
    expect(chatCompletions.findFailure({ finish_reason })?.message).toContain(`"${finish_reason}"`);
  });

  it.each(['failed', 'cancelled', 'queued', 'in_progress'])('the status "%s" is a failure', (status) => {
    expect(responses.findFailure({ status })?.message).toContain(`"${status}"`);
  });

  it('the message of a failure quotes only the start of a long reason', () => {
    const finish_reason = `malformed_function_call: ${'x'.repeat(500)}`;
    expect(chatCompletions.findFailure({ finish_reason })?.message.length).toBeLessThan(250);
  });

  it('keeps the stop sequence in messages', () => {
    expect(messages.writeStop({ reason: 'end', sequence: 'END' })).toEqual({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
    expect(messages.writeStop({ reason: 'length', sequence: 'END' })).toEqual({
      stop_reason: 'max_tokens',
      stop_sequence: null,
    });
  });

  it.each<[Stop, boolean, Stop['reason']]>([
    [{ reason: 'end' }, true, 'tool-calls'],
    [{ reason: 'end' }, false, 'end'],
    [{ reason: 'tool-calls' }, false, 'end'],
    [{ reason: 'tool-calls' }, true, 'tool-calls'],
    [{ reason: 'length' }, true, 'length'],
    [{ reason: 'refusal' }, true, 'refusal'],
    [{ reason: 'pause' }, true, 'pause'],
  ])('%j with tool calls: %s is "%s"', (stop, hasToolCalls, expected) => {
    expect(agreeWithCalls(stop, hasToolCalls).reason).toBe(expected);
  });
});
