import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEvents } from '../support/event-stream.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import {
  cut,
  echoHeaders,
  garbage,
  halfBody,
  halfHeaders,
  reset,
  stall,
  trickle,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { dialects, pathOf, recordingOf, recordings } from '../support/wire/recordings.ts';

// All gateway tests rely on this upstream, so its own behavior is tested too.
describe('the scripted upstream', () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
  });
  beforeEach(() => upstream.clear());
  afterAll(() => upstream.stop());

  const post = (body: object = {}, path = '/chat/completions') =>
    fetch(upstream.url + path, { method: 'POST', body: JSON.stringify(body), headers: { 'x-mark': 'Mark' } });

  it('records requests', async () => {
    await post({ a: 1 }, '/messages?x=y');
    const [request] = upstream.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/messages?x=y', body: { a: 1 } });
    expect(request?.bytes.toString()).toBe('{"a":1}');
    expect(request?.headers['x-mark']).toBe('Mark');
  });

  it.each(dialects)('responds to %s in the same dialect', async (dialect) => {
    const json = await post({}, pathOf[dialect]);
    expect(Buffer.from(await json.arrayBuffer())).toEqual(recordingOf[dialect].json);
    const streamed = await post({ stream: true }, pathOf[dialect]);
    expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(Buffer.from(await streamed.arrayBuffer())).toEqual(recordingOf[dialect].stream);
  });

  it('runs its scripts in order', async () => {
    upstream.respondWith(upstreamError(429, 'Slow down', { 'retry-after': '7' }), echoHeaders);
    const refused = await post();
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '7',
      { error: { type: 'upstream_error', message: 'Slow down', code: 429 } },
    ]);
    expect((await post()).headers.get('x-mark')).toBe('Mark');
    expect((await post()).status).toBe(200);
  });

  it.each([
    ['garbage', garbage],
    ['a reset', reset],
    ['half the headers', halfHeaders],
  ])('responds with %s', async (_name, script) => {
    upstream.respondWith(script);
    await expect(post()).rejects.toThrow('fetch failed');
  });

  it('sends half a body or a truncated stream and closes the connection', async () => {
    const { json, stream } = recordings['openai-chat'];
    for (const [script, expected] of [
      [halfBody(json), json.subarray(0, json.length / 2)],
      [cut(stream.subarray(0, 100)), stream.subarray(0, 100)],
      [cut(Buffer.alloc(0)), Buffer.alloc(0)],
    ] as const) {
      upstream.respondWith(script);
      const { body } = await post();
      const chunks: Uint8Array[] = [];
      await expect(
        body?.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk) })),
      ).rejects.toThrow('terminated');
      expect(Buffer.concat(chunks)).toEqual(expected);
    }
  });

  it('sends a stream byte by byte', async () => {
    const { stream } = recordings['openrouter-chat'];
    upstream.respondWith(trickle(stream));
    const { body } = await post();
    const chunks: Uint8Array[] = [];
    for await (const chunk of body ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(stream);
    expect(chunks.length).toBeGreaterThan(stream.length / 10);
  });

  it('reports disconnects and the number of open connections', async () => {
    const own = await startScriptedUpstream();
    own.respondWith(stall);
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}');
    const { ended } = await own.nextExchange();
    expect(own.openConnections()).toBe(1);
    socket.destroy();
    expect(await ended).toBe('disconnected');
    await expect.poll(() => own.openConnections()).toBe(0);
    await own.stop();
    await post();
    expect(await (await upstream.nextExchange()).ended).toBe('completed');
  });

  it('has recordings of complete JSON events', () => {
    for (const [name, { stream, json }] of Object.entries(recordings)) {
      expect(() => JSON.parse(json.toString())).not.toThrow();
      const { events, rest } = parseEvents(stream.toString());
      expect([name, rest]).toEqual([name, '']);
      for (const { data } of events)
        if (data !== '[DONE]') expect(JSON.parse(data ?? '')).toEqual(expect.any(Object));
      expect(events.length).toBeGreaterThan(5);
    }
  });
});
