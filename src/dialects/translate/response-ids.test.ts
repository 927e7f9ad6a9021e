import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../core/presets/preset.ts';
import { itemId, responseId, toolCallId } from './response-ids.ts';

describe('the id of a response', () => {
  it.each<[Dialect, string | undefined, string]>([
    ['chat-completions', 'msg_01Abc', 'chatcmpl-01Abc'],
    ['messages', 'chatcmpl-01Abc', 'msg_01Abc'],
    ['responses', 'msg_01Abc', 'resp_01Abc'],
    ['responses', 'gen-1700-Abc', 'resp_gen-1700-Abc'],
    ['messages', undefined, 'msg_request'],
    ['messages', '', 'msg_request'],
    ['responses', 'a b/ü', 'resp_a_b__'],
  ])('the id of a response in %s for %s is %s', (dialect, upstreamId, expected) => {
    expect(responseId(dialect, upstreamId, 'request')).toBe(expected);
  });

  it('items and calls have ids of their own', () => {
    expect(itemId('message', 'resp_a', 0)).toBe('msg_a_0');
    expect(itemId('function', 'resp_a', 1)).toBe('fc_a_1');
    expect(itemId('custom', 'resp_a', 2)).toBe('ctc_a_2');
    expect(itemId('reasoning', 'resp_a', 3)).toBe('rs_a_3');
    expect(toolCallId('msg_a', 4)).toBe('call_a_4');
  });

  it('ids that clients send back have at most 64 characters', () => {
    const id = responseId('responses', 'x'.repeat(200), 'request');
    expect(itemId('custom', id, 999).length).toBeLessThanOrEqual(64);
  });
});
