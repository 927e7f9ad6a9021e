import { ChatStreamChunk$inboundSchema, StreamEvents$inboundSchema } from '@openrouter/sdk/models';
import { describe, expect, it } from 'vitest';
import { dialectStreams } from '../../../test/support/dialect-streams.ts';
import { eventsOf } from '../../../test/support/fold-stream.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { CompletionContext } from '../model/completion.ts';
import { createStreamTranslator } from './translate-stream.ts';

const context: CompletionContext = {
  requestId: 'request',
  model: 'requested-model',
  created: 1_790_000_100,
  request: { stream_options: { include_usage: true } },
};

/** All streams of other dialects, translated to this one. */
function streamsIn(to: Dialect): readonly (readonly [string, string])[] {
  return dialectStreams()
    .filter(({ dialect }) => dialect !== to)
    .map(({ title, dialect, text }) => [
      title,
      createStreamTranslator(dialect, to, context).push(Buffer.from(text)),
    ]);
}

describe('a stream of chat completions', () => {
  it.each(streamsIn('chat-completions'))('%s: has chunks that SDKs accept', (_, text) => {
    const chunks = eventsOf(text);
    // OpenRouter has no custom tools.
    if (!text.includes('"type":"custom"'))
      for (const chunk of chunks) ChatStreamChunk$inboundSchema.parse(chunk);
    const [first, ...others] = chunks;
    expect(first).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] });
    for (const { id, created, model } of others)
      expect({ id, created, model }).toEqual({ id: first?.id, created: first?.created, model: first?.model });
    expect(chunks.slice(-2)).toMatchObject([
      { choices: [{ finish_reason: expect.any(String) }] },
      { choices: [], usage: { total_tokens: expect.any(Number) } },
    ]);
    expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  });
});

describe('a stream of messages', () => {
  it.each(streamsIn('messages'))('%s: has blocks that follow one another', (_, text) => {
    const blocks = eventsOf(text).filter(({ type }) => String(type).startsWith('content_block'));
    const starts = blocks.filter(({ type }) => type === 'content_block_start');
    const order = starts.flatMap((_start, index) => [
      `content_block_start ${index}`,
      ...blocks
        .filter((event) => event.type === 'content_block_delta' && event.index === index)
        .map(() => `content_block_delta ${index}`),
      `content_block_stop ${index}`,
    ]);
    expect(blocks.map(({ type, index }) => `${type} ${index}`)).toEqual(order);
    const types = eventsOf(text).map(({ type }) => type);
    expect(types.filter((type) => type !== 'ping')).toEqual([
      'message_start',
      ...blocks.map(({ type }) => type),
      'message_delta',
      'message_stop',
    ]);
  });
});

describe('a stream of responses', () => {
  it.each(streamsIn('responses'))('%s: has events that SDKs accept, in order', (_, text) => {
    const events = eventsOf(text);
    for (const event of events) StreamEvents$inboundSchema.parse(event);
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(names).toEqual(events.map(({ type }) => type));
    expect(names.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    const added = events.filter(({ type }) => type === 'response.output_item.added');
    const done = events.filter(({ type }) => type === 'response.output_item.done');
    expect(added.map(({ output_index: index }) => index)).toEqual([...added.keys()]);
    expect(events.at(-1)).toMatchObject({ response: { output: done.map(({ item }) => item) } });
  });
});
