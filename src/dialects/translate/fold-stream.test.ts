import { describe, expect, it } from 'vitest';
import { dialectStreams } from '../../../test/support/dialect-streams.ts';
import { foldStream } from '../../../test/support/fold-stream.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { textsOf } from './chat-messages.ts';
import { StreamFold } from './fold-stream.ts';

const context = { requestId: 'r-1', model: 'asked', created: 1, request: {} };

describe.each(dialectStreams())('$title', ({ dialect, text }) => {
  /** What a response says, whatever else is in it. */
  const meaningOf = (body: JsonObject) => {
    const { id, model, content, stop, usage } = dialectOf[dialect].completion.parse(body).completion;
    const said = content.map((block) => {
      if (block.kind === 'tool-call') return [block.kind, block.id, block.name, block.input];
      return [block.kind, block.text];
    });
    return { id, model, said, reason: stop.reason, usage };
  };

  it('is put together to what the official SDK makes of it', async () => {
    const fold = new StreamFold(dialect, 1_000_000);
    // In pieces of complete lines.
    for (const line of text.split(/(?<=\n)/)) fold.push(line);
    fold.end();
    const whole = await foldStream(dialect, text);
    expect(fold.isComplete).toBe(true);
    expect(meaningOf(fold.body(context) ?? {})).toEqual(meaningOf(whole));
  });
});

/** Everything but text that a response of /responses has. */
const image = { type: 'image_generation_call', id: 'ig-1', result: 'A'.repeat(50_000) };

it('the size of a stream includes the whole response at its end', () => {
  const fold = new StreamFold('responses', 1_000);
  const response = { id: 'r', output: [image], tools: [{ type: 'image_generation' }] };
  fold.push(`data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`);
  fold.end();
  expect(fold.body(context)).toMatchObject(response);
  const size = JSON.stringify(response).length;
  expect(fold.bytes).toBeGreaterThanOrEqual(size);
  expect(fold.bytes).toBeLessThan(size + 100);
});

it('the size of a stream includes logprobs, but no events of which only text is kept', () => {
  const sizeWith = (logprobs: object | null) => {
    const fold = new StreamFold('chat-completions', 100_000);
    for (let index = 0; index < 100; index += 1) {
      const choices = [{ index: 0, delta: { content: 'word' }, logprobs, finish_reason: null }];
      const event = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
      fold.push(`data: ${JSON.stringify(event)}\n\n`);
    }
    return fold.bytes;
  };
  expect(sizeWith(null)).toBeGreaterThan(400);
  expect(sizeWith(null)).toBeLessThan(5_000);
  const content = [{ token: 'word', logprob: -0.5, bytes: [119, 111, 114, 100], top_logprobs: [] }];
  expect(sizeWith({ content })).toBeGreaterThan(100 * JSON.stringify(content).length);
});

describe.each(dialects)('a stream of %s that is not complete', (dialect) => {
  const { text } = dialectStreams().find((stream) => stream.dialect === dialect) ?? { text: '' };

  it('has what arrived until it was cut off', () => {
    const fold = new StreamFold(dialect, 1_000_000);
    const lines = text.split(/(?<=\n)/);
    for (const line of lines.slice(0, Math.floor(lines.length / 2))) fold.push(line);
    fold.end();
    expect(fold.isComplete).toBe(false);
    const texts = textsOf(fold.body(context) ?? {}, dialect);
    expect(`${texts.completion}${texts.reasoning}`.length).toBeGreaterThan(8);
  });

  it('has no more text than the limit and one piece', () => {
    const fold = new StreamFold(dialect, 10);
    fold.push(text);
    fold.end();
    expect(fold.isComplete).toBe(false);
    expect(fold.characters).toBeGreaterThan(10);
    expect(fold.characters).toBeLessThan(60);
    expect(fold.body(context)).toBeDefined();
  });
});

it('a stream that fails has the error', () => {
  const fold = new StreamFold('messages', 1_000);
  fold.push('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n');
  fold.end();
  expect(fold.body(context)).toMatchObject({ error: { message: 'Busy' } });
});
