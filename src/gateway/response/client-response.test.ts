import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { Measurements } from '../../core/measurements.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { type Call, createTrace, type RelayedRequest } from '../call.ts';
import { UpstreamFailure } from '../exchange/upstream-failure.ts';
import type { Candidate } from '../plan/router.ts';
import { ClientResponse, type ClientResponseOptions } from './client-response.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // So that a time since the start of the process is not that since the start of a call.
  vi.advanceTimersByTime(60_000);
});
afterEach(() => {
  vi.useRealTimers();
});

const chat = 'chat-completions';

interface Given extends ClientResponseOptions {
  readonly from?: Dialect;
  readonly to?: Dialect;
  readonly relayed?: Partial<RelayedRequest>;
}

/** The response to a call in the dialect `to`, by an upstream of the dialect `from`. */
function respond({ from = chat, to = from, relayed, ...options }: Given = {}) {
  const writeHead = vi.fn((_status: number, _headers: readonly unknown[]) => {});
  const end = vi.fn();
  const trace = createTrace();
  const call = {
    dialect: to,
    caller: { ownerId: 'u' },
    requestId: 'r',
    body: { model: 'm' },
    response: { writeHead, end },
    commonHeaders: () => ['x-common', 'c'],
    receivedAt: performance.now(),
    admittedMs: 2,
    trace,
    ...(relayed && { relayed }),
  } as unknown as Call;
  const key = { variable: 'KEY', secret: 'sk-secret-0123456789' };
  const candidate = { upstream: { name: 'main', key, headers: {} }, dialect: from };
  const measurements = {
    overhead: vi.fn(),
    droppedContents: vi.fn(),
  };
  const response = new ClientResponse(
    call,
    candidate as unknown as Candidate,
    measurements as unknown as Measurements,
    options,
  );
  return {
    response,
    trace,
    measurements,
    end,
    headers: () => {
      const list = writeHead.mock.calls[0]?.[1] ?? [];
      return Object.fromEntries(
        list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : [])),
      );
    },
    /** The response that the client got. */
    sent: () => ({ status: writeHead.mock.calls[0]?.[0], body: JSON.parse(String(end.mock.calls[0]?.[0])) }),
  };
}

const bytes = (value: object) => Buffer.from(JSON.stringify(value));
const json = { 'content-type': 'application/json' };
const stopped = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;

it.each([
  [1, stopped, true],
  [2, stopped, false],
  [2, `${stopped}data: [DONE]\n\n`, true],
])('a stream of %i choices is complete with its last one only: %j', (choices, text, isFinished) => {
  const relay = respond({ choices }).response.createRelay();
  relay.push(Buffer.from(text));
  expect(relay.isFinished).toBe(isFinished);
});

it.each([
  ['audio/speech', 'event: speech.audio.done\ndata: {}\n\n', true],
  ['images/generations', 'event: image_generation.completed\ndata: {}\n\n', true],
  ['images/generations', 'event: error\ndata: {}\n\n', true],
  ['audio/transcriptions', 'data: [DONE]\n\n', true],
  ['images/generations', 'event: image_generation.partial_image\ndata: {}\n\n', false],
  ['completions', 'event: speech.audio.done\ndata: {}\n\n', false],
] as const)('a stream of /%s is complete if it breaks off after %j: %s', (endpoint, text, isFinished) => {
  const relay = respond({ relayed: { endpoint } }).response.createRelay();
  relay.push(Buffer.from(text));
  expect(relay.isFinished).toBe(isFinished);
  expect(relay.end().isFinished).toBe(isFinished || endpoint !== 'completions');
});

it.each([
  [false, undefined],
  [true, { rewriteBody: String, rewriteLines: String, rewriteError: String } as never],
])('an event of megabytes is held until it is complete if its ids are signed: %s', (isSigned, rewriter) => {
  const relay = respond({ rewriter }).response.createRelay();
  expect(relay.push(Buffer.from(`data: ${'x'.repeat(1_100_000)}`)) === undefined).toBe(isSigned);
});

it('a stream goes on if its content cannot be logged, which is counted once', () => {
  const { response, trace, measurements } = respond();
  const addLines = () => {
    throw new RangeError('oops');
  };
  const share = { release: vi.fn() };
  trace.content = { addLines, share } as unknown as typeof trace.content;
  const lines = Buffer.from(stopped);
  expect([response.finishLines(lines), response.finishLines(lines)]).toEqual([lines, lines]);
  expect(trace.content).toBeUndefined();
  expect(share.release).toHaveBeenCalledOnce();
  expect(measurements.droppedContents).toHaveBeenCalledExactlyOnceWith(1);
});

it('only a stream may not be buffered by proxies', () => {
  const streamed = respond();
  streamed.response.writeHead(200, { 'content-type': 'text/event-stream' }, undefined);
  expect(streamed.headers()).toMatchObject({
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    'cache-control': 'no-cache',
    'x-common': 'c',
  });
  const whole = respond();
  whole.response.writeHead(200, json, 7);
  expect(whole.headers()).toMatchObject({ 'content-length': 7 });
  expect(whole.headers()).not.toHaveProperty('cache-control');
});

it.each([
  ['a stream', undefined, 5, 9, '6.000'],
  ['a response that has ended', 7, 5, 9, '2.000'],
  ['a response that goes on', 7, 5, 0, '6.000'],
  ['a response without a byte', 7, undefined, 0, '11.000'],
])('the overhead of %s does not include the wait for the upstream', (_, length, firstByte, ended, ms) => {
  const { response, headers, measurements } = respond();
  const { startedAt } = response.observer.timings;
  Object.assign(response.observer.timings, {
    firstByteAt: firstByte && startedAt + firstByte,
    endedAt: ended && startedAt + ended,
  });
  vi.advanceTimersByTime(9);
  response.writeHead(200, json, length);
  expect(headers()['x-presetd-overhead-ms']).toBe(ms);
  expect(measurements.overhead).toHaveBeenCalledWith(Number(ms) / 1_000);
});

it.each([
  [new UpstreamFailure('timeout', 'too late'), 504],
  [new UpstreamFailure('reset', 'gone'), 502],
  [new PresetdError('not_found', 'no workspace'), 404],
  [new PresetdError('forbidden', 'no right'), 403],
  [new PresetdError('unauthenticated', 'no key'), 401],
])('a response that is cut off by %s counts as %i', (cause, status) => {
  const { response, trace } = respond();
  expect(response.interrupt(cause)).toEqual({ status, message: cause.message, requestId: 'r' });
  expect(trace.brokenStatus).toBe(status);
});

const fail = (response: ClientResponse, status: number, body: string) =>
  response.sendUpstreamError({ kind: 'upstream-error', status, headers: {}, body });

it.each([401, 407])("an upstream that rejects presetd's key with %i is misconfigured", (status) => {
  const { response, end } = respond();
  expect(() => fail(response, status, '{}')).toThrow('Check KEY.');
  expect(end).not.toHaveBeenCalled();
});

it('an error of an upstream is forwarded, wrapped or translated', () => {
  const known = respond();
  fail(known.response, 400, '{"error":{"message":"hot","code":7}}');
  expect(known.sent()).toEqual({ status: 400, body: { error: { message: 'hot', code: 7 } } });
  const wrapped = respond();
  fail(wrapped.response, 422, '{"detail":"sk-secret-0123456789"}');
  expect(wrapped.sent()).toMatchObject({ status: 422, body: { error: { message: '…' }, user_id: 'u' } });
  const page = respond();
  fail(page.response, 500, '<p title="\\x sk-secret-0123456789">');
  expect(page.sent().body.error.message).toContain('returned 500 without a JSON error');
  const translated = respond({ to: 'messages' });
  fail(translated.response, 503, '{"error":{"message":"hot"}}');
  expect(translated.sent()).toMatchObject({
    status: 529,
    body: { type: 'error', error: { message: 'hot' } },
  });
});

it('an error of an upstream has signed ids', () => {
  const rewriteError = (text: string) => text.replace('resp_1', 'resp_signed');
  const { response, sent } = respond({ rewriter: { rewriteError } as never });
  fail(response, 400, '{"error":{"message":"no resp_1"}}');
  expect(sent().body.error.message).toBe('no resp_signed');
});

it("a response of presetd's own has the headers of every response", () => {
  const { response, headers, sent } = respond();
  response.sendJson('{"ö":1}', ['x-more', 'm']);
  expect(headers()).toEqual({
    ...json,
    'x-common': 'c',
    'content-length': 8,
    'x-generation-id': expect.stringMatching(/^gen-[0-9a-f]{32}$/),
    'x-presetd-overhead-ms': '2.000',
    'x-more': 'm',
  });
  expect(sent()).toEqual({ status: 200, body: { ö: 1 } });
});

const completion = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

it('a translated response says what was lost, and begins with an estimate of its input', () => {
  const whole = respond({ to: 'messages' });
  whole.response.translateBody(bytes(completion));
  expect(whole.trace.losses).toBeDefined();
  const request = { body: '{"messages":"How are you today?"}' } as never;
  const streamed = respond({ to: 'messages', request });
  const relay = streamed.response.createRelay();
  expect(streamed.trace.losses).toBeDefined();
  const first = relay.push(Buffer.from('data: {"id":"c","choices":[{"delta":{"content":"Hi"}}]}\n\n'));
  expect(Number(/"input_tokens":(\d+)/.exec(String(first))?.[1])).toBeGreaterThan(4);
});
