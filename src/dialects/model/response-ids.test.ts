import { describe, expect, it } from 'vitest';
import { itemId } from '../responses/item-ids.ts';
import { responseId, toolCallId } from './response-ids.ts';

describe('the id of a response', () => {
  it.each<[string, string | undefined, string]>([
    ['chatcmpl-', 'msg_01Abc', 'chatcmpl-01Abc'],
    ['msg_', 'chatcmpl-01Abc', 'msg_01Abc'],
    ['resp_', 'msg_01Abc', 'resp_01Abc'],
    ['resp_', 'gen-1700-Abc', 'resp_gen-1700-Abc'],
    ['msg_', undefined, 'msg_request'],
    ['msg_', '', 'msg_request'],
    ['resp_', 'a b/ü', 'resp_a_b__'],
  ])('the id of a response with the prefix %s for %s is %s', (prefix, upstreamId, expected) => {
    expect(responseId(prefix, upstreamId, 'request')).toBe(expected);
  });

  it('items and calls have ids of their own', () => {
    expect(itemId('message', 'resp_a', 0)).toBe('msg_a_0');
    expect(itemId('function', 'resp_a', 1)).toBe('fc_a_1');
    expect(itemId('custom', 'resp_a', 2)).toBe('ctc_a_2');
    expect(itemId('reasoning', 'resp_a', 3)).toBe('rs_a_3');
    expect(toolCallId('msg_a', 4)).toBe('call_a_4');
  });

  it('ids that clients send back have at most 64 characters', () => {
    const id = responseId('resp_', 'x'.repeat(200), 'request');
    expect(itemId('custom', id, 999).length).toBeLessThanOrEqual(64);
  });
});
