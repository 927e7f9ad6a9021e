import { expect, test } from 'vitest';
import { createSseParser, readSse } from './sse.ts';

const text =
  ': comment\n\ndata: {"a":1}\n\nevent: named\ndata: {"b":\ndata:2}\nid: 3\n\n\ndata: Zürich ☔🌧\n\ndata: [DONE]\n\n';
const events = ['{"a":1}', '{"b":\n2}', 'Zürich ☔🌧', '[DONE]'];

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  bytesMax = 10_000,
): Promise<readonly [readonly string[], string]> {
  const collected: string[] = [];
  const iterator = readSse(stream, bytesMax);
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return [collected, value];
    collected.push(value);
  }
}

test.each([
  ['\\n', '\n'],
  ['\\r\\n', '\r\n'],
  ['\\r', '\r'],
])('a stream has the same events wherever it is cut, with %s line endings', async (_name, end) => {
  const bytes = new TextEncoder().encode(text.replaceAll('\n', end));
  for (let cut = 0; cut <= bytes.length; cut += 1)
    expect(await collect(streamOf([bytes.slice(0, cut), bytes.slice(cut)]))).toEqual([events, 'ended']);
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(await collect(streamOf(single))).toEqual([events, 'ended']);
});

test('an event is emitted as soon as it is complete', () => {
  const parser = createSseParser();
  expect(parser.push('data: a\n')).toEqual([]);
  expect(parser.push('\ndata: b')).toEqual(['a']);
  expect(parser.push('\n\n')).toEqual(['b']);
});

test('an event that is cut off by the end of the stream is ignored', async () => {
  const bytes = new TextEncoder().encode('data: a\n\ndata: {"cut');
  expect(await collect(streamOf([bytes]))).toEqual([['a'], 'ended']);
});

test('a stream that exceeds the byte limit is canceled', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: again\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  const [collected, end] = await collect(endless, 100);
  expect([collected.length, end, isCancelled]).toEqual([7, 'too long', true]);
});
