import { expect, it } from 'vitest';
import type { Candidate } from '../plan/router.ts';
import type { UpstreamKind } from '../upstreams/upstream.ts';
import { askForStreamUsage, removeUsageEvents } from './stream-usage.ts';

const candidate = (kind: UpstreamKind, dialect = 'chat-completions') =>
  ({ dialect, upstream: { kind } }) as unknown as Candidate;

it.each<[what: string, kind: UpstreamKind, body: object, options: object | undefined]>([
  ['a stream', 'openai', { stream: true }, { include_usage: true }],
  [
    'a stream with other options',
    'vllm',
    { stream: true, stream_options: { a: 1 } },
    { a: 1, include_usage: true },
  ],
  [
    'a stream that wants none',
    'groq',
    { stream: true, stream_options: { include_usage: false } },
    { include_usage: true },
  ],
  [
    'a stream that asks itself',
    'openai',
    { stream: true, stream_options: { include_usage: true } },
    undefined,
  ],
  ['a whole response', 'openai', { stream: false }, undefined],
  ['a stream of OpenRouter, which always reports it', 'openrouter', { stream: true }, undefined],
  ['a stream of Mistral, which rejects the option', 'mistral', { stream: true }, undefined],
])('asks for the usage of %s (%s)', (_, kind, body, options) => {
  expect(askForStreamUsage({ model: 'm', ...body }, candidate(kind))).toEqual(
    options && { model: 'm', ...body, stream_options: options },
  );
});

it('asks for no usage in other dialects', () => {
  expect(askForStreamUsage({ stream: true }, candidate('openai', 'responses'))).toBeUndefined();
});

const text = 'data: {"choices":[{"delta":{"content":"a"}}],"usage":null}';
const usage = 'data: {"id":"1","choices":[],"usage":{"prompt_tokens":1}}';
const both = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}';
const filter = 'data: {"choices":[],"prompt_filter_results":[]}';
const done = 'data: [DONE]';

it.each([
  ['only the event with usage', [text, usage, done], [text, done]],
  ['nothing that has a choice', [text, both, done], [text, both, done]],
  ['no event without usage', [filter, text, done], [filter, text, done]],
  ['an event by itself', [usage], []],
])('removes %s', (_, events, kept) => {
  for (const end of ['\n\n', '\r\n\r\n']) {
    const join = (list: readonly string[]) => list.map((event) => event + end).join('');
    expect(removeUsageEvents(Buffer.from(join(events))).toString()).toBe(join(kept));
  }
});

it('returns the same bytes if nothing is removed', () => {
  const lines = Buffer.from(`${text}\n\n`);
  expect(removeUsageEvents(lines)).toBe(lines);
});
