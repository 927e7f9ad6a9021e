import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { parseEvents, type StreamedEvent } from '../support/event-stream.ts';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import type { Script } from '../support/upstream-scripts.ts';
import { beginStream, cut, stream } from '../support/upstream-scripts.ts';
import { pathOf, recordings } from '../support/wire/recordings.ts';

const question = {
  model: 'vendor/model',
  messages: [{ role: 'user', content: 'Will it rain?' }],
  stream: true,
};

const streams: readonly (readonly [keyof typeof recordings, Dialect])[] = [
  ['openai-chat', 'chat-completions'],
  ['openrouter-chat', 'chat-completions'],
  ['anthropic-messages', 'messages'],
  ['openai-responses', 'responses'],
];

describe('interrupted streams', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream);
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    agent.destroy();
    await upstream.stop();
    await server.stop();
  });

  /** Requests the stream, cut off at each length, and returns what is wrong with the responses. */
  function problemsOf(
    [name, dialect]: (typeof streams)[number],
    lengths: readonly number[],
    script: (beginning: Buffer) => Script,
  ): Promise<readonly string[]> {
    const whole = recordings[name].stream;
    upstream.respondAlways((exchange) =>
      script(whole.subarray(0, Number(exchange.request.body.user)))(exchange),
    );
    return findProblems(lengths, 16, async (length) => {
      const response = await askPlainly(server.url, dialect, { ...question, user: String(length) });
      const problem = problemOf(whole.subarray(0, length), response, dialect, script === stream);
      return problem && `after ${length} bytes: ${problem}`;
    });
  }

  it.each(streams.filter(([name]) => name !== 'openrouter-chat'))(
    'a stream cut at any byte of %s (%s) yields complete events and then the error event of the dialect',
    async (...of) => {
      const { stream: whole } = recordings[of[0]];
      // A sample: stream-relay.test.ts cuts at every byte.
      const lengths = Array.from({ length: whole.length }, (_, index) => index + 1).filter(
        (length) => length % 17 === 0,
      );
      expect(await problemsOf(of, lengths, cut)).toEqual([]);
    },
  );

  // A stream that is cut off at the end of a line most resembles a complete one.
  it.each(streams)(
    'a stream cut near any line end of %s (%s) yields an error event, even if closed cleanly',
    async (...of) => {
      const { stream: whole } = recordings[of[0]];
      const lengths = Array.from({ length: whole.length }, (_, index) => index + 1).filter((length) =>
        whole.subarray(Math.max(0, length - 2), length + 2).includes('\n'),
      );
      expect(await problemsOf(of, lengths, cut)).toEqual([]);
      expect(await problemsOf(of, lengths, stream)).toEqual([]);
    },
  );

  it.each(streams)(
    'a stream cut before its first byte returns 502 instead of a stream: %s (%s)',
    async (_name, dialect) => {
      for (const script of [cut(Buffer.alloc(0)), stream('')]) {
        upstream.respondWith(script);
        const response = await server.call(question, { dialect });
        expect(response.status).toBe(502);
        expect(response.body.error.message.length).toBeGreaterThan(10);
        expect(response.body.type).toBe(dialect === 'messages' ? 'error' : undefined);
      }
    },
  );

  it.each(streams)(
    'a stream cut after an error event of the upstream is forwarded unchanged: %s (%s)',
    async (name, dialect) => {
      const events = recordings[name].stream.toString().split(/(?<=\n\n)/);
      const broken = events.slice(0, 3).join('') + upstreamErrors[dialect];
      for (const script of [cut(Buffer.from(broken)), stream(broken)]) {
        upstream.respondWith(script);
        expect((await server.call(question, { dialect })).text).toBe(broken);
      }
    },
  );

  it('the error event of a cut stream continues the completion of the last chunk', async () => {
    const events = recordings['openai-chat'].stream.toString().split(/(?<=\n\n)/);
    upstream.respondWith(cut(Buffer.from(events.slice(0, 3).join(''))));
    const { text } = await server.call(question);
    const last = JSON.parse(parseEvents(text).events.at(-1)?.data ?? '');
    expect(last).toMatchObject({
      id: 'chatcmpl-DqX5',
      object: 'chat.completion.chunk',
      created: 1790000000,
      model: 'gpt-5.2-2025-12-11',
      choices: [{ index: 0, finish_reason: 'error' }],
      error: { code: 502, message: expect.any(String), metadata: { error_type: expect.any(String) } },
    });
  });

  it('a cut responses stream ends with response.failed, which repeats the response of its start', async () => {
    const events = recordings['openai-responses'].stream.toString().split(/(?<=\n\n)/);
    // More events than the relay keeps.
    const [delta = ''] = events.filter((event) => event.includes('output_text.delta'));
    upstream.respondWith(cut(...events.slice(0, 5), ...Array.from({ length: 20 }, () => delta)));
    const { text } = await server.call(question, { dialect: 'responses' });
    const received = parseEvents(text).events.map(({ name, data }) => ({ name, ...JSON.parse(data ?? '') }));
    const fields = {
      code: 'server_error',
      message: expect.stringContaining('closed the connection'),
      param: null,
    };
    const next = JSON.parse(delta.split('data: ')[1] ?? '').sequence_number + 1;
    expect(received.slice(-2)).toEqual([
      {
        name: 'error',
        type: 'error',
        ...fields,
        error: { type: 'server_error', ...fields },
        sequence_number: next,
      },
      {
        name: 'response.failed',
        type: 'response.failed',
        sequence_number: next + 1,
        response: {
          ...received[0].response,
          status: 'failed',
          completed_at: null,
          error: { code: fields.code, message: fields.message },
        },
      },
    ]);
  });

  it('a stream with several choices is complete only if each of them is', async () => {
    const chunk = (index: number, delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1790000000,
        model: 'm',
        choices: [{ index, delta, finish_reason: finish }],
      })}\n\n`;
    const half = [chunk(0, { content: 'Rain' }), chunk(1, { content: 'Sun' }), chunk(0, {}, 'stop')].join('');
    for (const script of [cut(Buffer.from(half)), stream(half)]) {
      upstream.respondWith(script);
      const { text } = await server.call({ ...question, n: 2 });
      expect(isError(parseEvents(text).events.at(-1), 'chat-completions')).toBe(true);
    }
  });

  it('a cut stream does not affect the next request', async () => {
    const { stream: whole } = recordings['openai-chat'];
    for (let time = 0; time < 10; time += 1) {
      upstream.respondWith(cut(whole.subarray(0, 400)), stream(whole));
      await server.call(question);
      expect((await server.call(question)).text).toBe(whole.toString());
    }
  });

  it('a stream with a malformed HTTP chunk ends with an error event', async () => {
    const first = recordings['openai-chat'].stream.toString().split(/(?<=\n\n)/)[0] ?? '';
    upstream.respondWith(({ response, socket }) => {
      beginStream(response);
      socket.write(`${Buffer.byteLength(first).toString(16)}\r\n${first}\r\nzz no chunk\r\n`);
    });
    const { text } = await server.call(question);
    expect(text.startsWith(first)).toBe(true);
    expect(parseEvents(text).events).toHaveLength(2);
    expect(text).toContain('"error"');
  });
});

interface PlainResponse {
  readonly status: number;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/** Like `call`, at a fraction of its cost: these tests send thousands of requests. */
async function askPlainly(url: string, dialect: Dialect, body: object): Promise<PlainResponse> {
  const sent = request(`${url}/api/v1${pathOf[dialect]}`, {
    method: 'POST',
    agent,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  }).end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}

/** The problem with the response to a stream cut off after `prefix`, if any. */
function problemOf(
  prefix: Buffer,
  { status, text }: PlainResponse,
  dialect: Dialect,
  isCleanEnd: boolean,
): string | undefined {
  // Without a complete line nothing was forwarded yet, so the status can still report the error.
  if (!prefix.includes('\n')) return status === 502 ? undefined : `status ${status}`;
  if (status !== 200) return `status ${status}`;
  const { events: all, rest } = parseEvents(text);
  const events = withoutFailedResponse(all, dialect);
  // A finished stream that the upstream closes cleanly is forwarded unchanged, wherever it ends.
  if (
    isCleanEnd &&
    text === prefix.toString() &&
    withLast({ events, rest }).some((event) => isEnd(event, dialect))
  )
    return undefined;
  if (rest !== '') return `ends within an event: ${rest}`;
  if (events.some(({ data }) => data === undefined)) return 'has an event without data';
  const sent = parseEvents(prefix.toString());
  // An error is required unless the client has seen the end of the stream.
  const hasFinished = events.some((event) => isEnd(event, dialect));
  const forwarded = hasFinished && !isError(events.at(-1), dialect) ? events : events.slice(0, -1);
  if (!hasFinished && !isError(events.at(-1), dialect)) return 'does not end with an error';
  if (forwarded.some((event) => isError(event, dialect))) return 'has more than one error';
  if (!isDeepEqual(forwarded, sent.events) && !isDeepEqual(forwarded, withLast(sent)))
    return `forwards ${text}`;
  return undefined;
}

/** After the error event of the responses dialect there is the response that failed. */
function withoutFailedResponse(events: readonly StreamedEvent[], dialect: Dialect): readonly StreamedEvent[] {
  const isFailed = dialect === 'responses' && events.at(-1)?.name === 'response.failed';
  return isFailed ? events.slice(0, -1) : events;
}

/** An event that only lacks its final empty line may be forwarded too. */
function withLast({ events, rest }: ReturnType<typeof parseEvents>): readonly StreamedEvent[] {
  return [...events, ...parseEvents(`${rest}\n\n`).events];
}

function isDeepEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

const ends: Readonly<Record<Dialect, RegExp>> = {
  'chat-completions': /^\[DONE\]$|"finish_reason":"stop"/,
  messages: /"type":"message_stop"/,
  responses: /"type":"response\.completed"/,
};

function isEnd(event: StreamedEvent | undefined, dialect: Dialect): boolean {
  return ends[dialect].test(event?.data ?? '');
}

function isError(event: StreamedEvent | undefined, dialect: Dialect): boolean {
  if (event?.data === undefined || event.data === '[DONE]') return false;
  const value = JSON.parse(event.data);
  if (dialect === 'chat-completions') return typeof value.error?.message === 'string';
  if (event.name !== 'error' || value.type !== 'error') return false;
  return typeof (dialect === 'messages' ? value.error?.message : value.message) === 'string';
}

const upstreamErrors: Readonly<Record<Dialect, string>> = {
  'chat-completions':
    'data: {"id":"gen-1","object":"chat.completion.chunk","created":1790000000,"model":"m","provider":"p","error":{"code":502,' +
    '"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n',
  messages:
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  responses:
    'event: error\ndata: {"type":"error","sequence_number":3,"code":"server_error","message":"Oops","param":null}\n\n',
};

/** Checks all items, `count` of them concurrently, and returns the problems. */
async function findProblems<T>(
  items: readonly T[],
  count: number,
  check: (item: T) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const rest = items.values();
  const problems: string[] = [];
  const worker = async () => {
    for (const item of rest) {
      const problem = await check(item);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
  return problems;
}
