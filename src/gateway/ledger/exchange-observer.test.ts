import { expect, it } from 'vitest';
import type { Dialect } from '../../core/presets/preset.ts';
import { createStreamTranslator } from '../../dialects/translate/translate-stream.ts';
import type { Call } from '../call.ts';
import { UpstreamFailure } from '../exchange/upstream-failure.ts';
import type { Candidate } from '../plan/router.ts';
import { ExchangeObserver } from './exchange-observer.ts';

const chat = 'chat-completions';
const delivered = { kind: 'delivered' } as const;

function observe(dialect: Dialect = chat, relayed?: object): ExchangeObserver {
  return new ExchangeObserver(
    { relayed } as Pick<Call, 'relayed'>,
    { upstream: { name: 'main' }, dialect } as unknown as Candidate,
  );
}

const line = (event: object) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const counted = { input: 3, output: 4 };

it('a body is searched for its usage, model and finish reason', () => {
  const observer = observe();
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
  const body = JSON.stringify({ id: 'c', model: 'm', choices, usage });
  observer.observeBody(body);
  expect(observer.describe(delivered)).toMatchObject({
    usage: counted,
    facts: { id: 'c', model: 'm', finishReason: 'stop' },
    bodyCharacters: body.length,
    isComplete: true,
    isStreamed: false,
    streamed: undefined,
  });
});

it('the usage of a stream is that of all its events', () => {
  const observer = observe('messages');
  observer.startStream();
  observer.observeLines(
    line({ type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } }),
  );
  observer.observeLines(line({ type: 'message_delta', delta: {}, usage: { output_tokens: 4 } }));
  expect(observer.describe(delivered)).toMatchObject({ usage: counted, isStreamed: true });
});

it('the sample of a stream begins with its first delta', () => {
  const observer = observe('messages');
  observer.startStream();
  observer.observeLines(line({ type: 'message_start', message: { instructions: 'long' } }));
  const delta = line({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } });
  observer.observeLines(Buffer.concat([line({ type: 'ping' }), delta]));
  observer.observeLines(delta);
  const { streamed } = observer.describe(delivered);
  expect(streamed).toEqual({ start: String(delta).repeat(2), bytes: 2 * delta.length });
});

it.each([
  ['counted', { choices: [], usage }, counted],
  ['did not count', { choices: [] }, undefined],
])('a translated stream has no tokens that the upstream %s', (_, chunk, expected) => {
  const observer = observe();
  const translator = createStreamTranslator(chat, 'messages', {
    requestId: 'r',
    model: 'm',
    created: 0,
    request: {},
    customTools: new Set(),
    namespacedTools: undefined,
  } as unknown as Parameters<typeof createStreamTranslator>[2]);
  observer.startStream(translator);
  translator.push(line(chunk));
  observer.observeLines(line({ usage: { prompt_tokens: 90, completion_tokens: 90 } }));
  const found = observer.describe(delivered).usage;
  expect(found && { input: found.input, output: found.output }).toEqual(expected);
});

it('the usage of another endpoint may be in the words of either API', () => {
  const observer = observe(chat, { endpoint: 'images' });
  observer.observeBody('{"usage":{"input_tokens":3}}');
  expect(observer.describe(delivered).usage).toMatchObject({ input: 3 });
});

it.each([
  [delivered, true],
  [{ kind: 'client-closed' } as const, true],
  [{ kind: 'no-response', failure: new UpstreamFailure('timeout', 'too late') } as const, true],
  [{ kind: 'no-response', failure: new UpstreamFailure('garbage', 'HTML') } as const, true],
  [{ kind: 'no-response', failure: new UpstreamFailure('reset', 'gone') } as const, false],
  [{ kind: 'upstream-error', status: 500, headers: {}, body: '' } as const, false],
])('an exchange that ends with %j may be charged: %s', (outcome, mayBeCharged) => {
  const observer = observe();
  expect(observer.describe(outcome).mayBeCharged).toBe(false);
  observer.timings.isSent = true;
  expect(observer.describe(outcome).mayBeCharged).toBe(mayBeCharged);
});

it('an error that reports a usage may be charged, for that usage', () => {
  const observer = observe();
  observer.timings.isSent = true;
  observer.observeBody(JSON.stringify({ usage }));
  const outcome = { kind: 'upstream-error', status: 502, headers: {}, body: '' } as const;
  expect(observer.describe(outcome)).toMatchObject({ mayBeCharged: true, isComplete: true });
});
