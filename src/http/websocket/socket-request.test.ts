import { expect, it } from 'vitest';
import { codeOf, parseSocketRequest } from './socket-request.ts';

const call = { type: 'function_call', call_id: 'c1' };
const history = { responseId: 'resp_1', items: ['earlier', call] };
const parse = (more: object) => parseSocketRequest({ type: 'response.create', model: 'm', ...more }, history);
const said = { type: 'message', role: 'user', content: 'Hi' };

it('a message becomes the body of a request that streams, without the fields of HTTP', () => {
  const httpFields = { stream: false, stream_options: {}, background: true, generate: true };
  expect(parse({ ...httpFields, input: 'Hi' })).toEqual({
    body: { model: 'm', input: 'Hi', stream: true },
    items: [said],
  });
});

it('a message that continues the last response has the conversation as its input', () => {
  const items = ['earlier', call, said];
  expect(parse({ input: 'Hi', previous_response_id: 'resp_1' })).toEqual({
    body: { model: 'm', input: items, previous_response_id: null, stream: true },
    items,
  });
  expect(parse({ previous_response_id: 'resp_1' }).items).toEqual(history.items);
});

it('a message that continues another response is left to the upstream that stored it', () => {
  const body = { model: 'm', input: ['a'], previous_response_id: 'resp_9', stream: true };
  expect(parse({ input: ['a'], previous_response_id: 'resp_9' })).toEqual({ body, items: undefined });
});

it.each([null, ''])(
  'a message whose previous response is %j starts a conversation',
  (previous_response_id) => {
    expect(parse({ input: 'Hi', previous_response_id }).items).toEqual([said]);
  },
);

it('the output of a tool needs its call, in the conversation or in the message', () => {
  const continued = { previous_response_id: 'resp_1' };
  const output = (call_id: string) => ({ type: 'function_call_output', call_id });
  const own = { type: 'custom_tool_call', call_id: 'c2' };
  expect(parse({ ...continued, input: [output('c1'), own, output('c2')] }).items).toHaveLength(5);
  expect(() => parse({ ...continued, input: [output('c3')] })).toThrow('no tool call with the call_id "c3"');
});

it.each([
  [null, 'type'],
  [{ type: 'response.cancel' }, 'type'],
  [{ type: 'response.create', generate: false }, 'generate'],
])('the message %j is an error of a field', (message, param) => {
  expect(() => parseSocketRequest(message, undefined)).toThrow(
    expect.objectContaining({ status: 400, param }),
  );
});

it.each([
  [400, 'invalid_request'],
  [429, 'rate_limit_exceeded'],
  [499, 'invalid_request'],
  [500, 'server_error'],
  [504, 'server_error'],
])('the code of an error with the status %i is %s', (status, code) => {
  expect(codeOf(status)).toBe(code);
});
