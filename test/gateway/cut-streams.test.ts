import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/preset.ts';
import { parseEvents, type StreamedEvent } from '../support/event-stream.ts';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type Script, type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
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

describe('a stream that breaks', () => {
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

  /** Asks for the stream in each of these lengths, and tells what was wrong with the answers. */
  function problemsOf(
    [name, dialect]: (typeof streams)[number],
    lengths: readonly number[],
    script: (beginning: Buffer) => Script,
  ): Promise<readonly string[]> {
    const whole = recordings[name].stream;
    upstream.respondAlways((exchange) =>
      script(whole.subarray(0, Number(exchange.request.body.user)))(exchange),
    );
    return inTurns(lengths, 16, async (length) => {
      const answer = await askPlainly(server.url, dialect, { ...question, user: String(length) });
      const problem = problemOf(whole.subarray(0, length), answer, dialect, script === stream);
      return problem && `after ${length} bytes: ${problem}`;
    });
  }

  it.each(streams.filter(([name]) => name !== 'openrouter-chat'))(
    'at any byte of %s (%s) is whole events and then the error of the dialect',
    async (...of) => {
      const { stream: whole } = recordings[of[0]];
      const lengths = Array.from({ length: whole.length }, (_, index) => index + 1);
      expect(await problemsOf(of, lengths, cut)).toEqual([]);
    },
  );

  // Where a line ends it is easiest to be taken for the end of all.
  it.each(streams)(
    'near the end of any line of %s (%s) is so too, also when the upstream ends it in order',
    async (...of) => {
      const { stream: whole } = recordings[of[0]];
      const lengths = Array.from({ length: whole.length }, (_, index) => index + 1).filter((length) =>
        whole.subarray(Math.max(0, length - 2), length + 2).includes('\n'),
      );
      expect(await problemsOf(of, lengths, cut)).toEqual([]);
      expect(await problemsOf(of, lengths, stream)).toEqual([]);
    },
  );

  it.each(streams)('before its first byte is an error and no stream: %s (%s)', async (_name, dialect) => {
    for (const script of [cut(Buffer.alloc(0)), stream('')]) {
      upstream.respondWith(script);
      const answer = await server.call(question, { dialect });
      expect(answer.status).toBe(502);
      expect(answer.body.error.message.length).toBeGreaterThan(10);
      expect(answer.body.type).toBe(dialect === 'messages' ? 'error' : undefined);
    }
  });

  it.each(streams)('with an error of the upstream in it passes as it is: %s (%s)', async (name, dialect) => {
    const events = recordings[name].stream.toString().split(/(?<=\n\n)/);
    const broken = events.slice(0, 3).join('') + upstreamErrors[dialect];
    for (const script of [cut(Buffer.from(broken)), stream(broken)]) {
      upstream.respondWith(script);
      expect((await server.call(question, { dialect })).text).toBe(broken);
    }
  });

  it('says in its error which request it was and what happened, in the words of the last chunk', async () => {
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

  it('counts on in a responses stream', async () => {
    const events = recordings['openai-responses'].stream.toString().split(/(?<=\n\n)/);
    upstream.respondWith(cut(Buffer.from(events.slice(0, 5).join(''))));
    const { text } = await server.call(question, { dialect: 'responses' });
    const last = parseEvents(text).events.at(-1);
    expect([last?.name, JSON.parse(last?.data ?? '')]).toEqual([
      'error',
      expect.objectContaining({
        type: 'error',
        sequence_number: 5,
        message: expect.any(String),
        param: null,
      }),
    ]);
  });

  it('with several choices has finished when each of them has', async () => {
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

  it('leaves the next request alone', async () => {
    const { stream: whole } = recordings['openai-chat'];
    for (let time = 0; time < 10; time += 1) {
      upstream.respondWith(cut(whole.subarray(0, 400)), stream(whole));
      await server.call(question);
      expect((await server.call(question)).text).toBe(whole.toString());
    }
  });

  it('by a chunk of HTTP that is none is an error as well', async () => {
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

interface Passed {
  readonly status: number;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/** As `ask`, at a fraction of its cost: there are thousands of these. */
async function askPlainly(url: string, dialect: Dialect, body: object): Promise<Passed> {
  const asked = request(`${url}/api/v1${pathOf[dialect]}`, {
    method: 'POST',
    agent,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  }).end(JSON.stringify(body));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}

/** What is wrong with an answer to a stream of which only this much came; undefined where nothing is. */
function problemOf(
  prefix: Buffer,
  { status, text }: Passed,
  dialect: Dialect,
  isInOrder: boolean,
): string | undefined {
  // Without a whole line nothing could be passed on, and there is still time to say it by the status.
  if (!prefix.includes('\n')) return status === 502 ? undefined : `status ${status}`;
  if (status !== 200) return `status ${status}`;
  const { events, rest } = parseEvents(text);
  // An upstream that has said all and ends in order may end where it likes; that is passed on as it is.
  if (
    isInOrder &&
    text === prefix.toString() &&
    withLast({ events, rest }).some((event) => isEnd(event, dialect))
  )
    return undefined;
  if (rest !== '') return `ends within an event: ${rest}`;
  if (events.some(({ data }) => data === undefined)) return 'has an event without data';
  const sent = parseEvents(prefix.toString());
  // Who has seen the end needs no error; who has not must get one.
  const hasFinished = events.some((event) => isEnd(event, dialect));
  const passed = hasFinished && !isError(events.at(-1), dialect) ? events : events.slice(0, -1);
  if (!hasFinished && !isError(events.at(-1), dialect)) return 'does not end with an error';
  if (passed.some((event) => isError(event, dialect))) return 'has more than one error';
  if (!isDeepEqual(passed, sent.events) && !isDeepEqual(passed, withLast(sent))) return `passes ${text}`;
  return undefined;
}

/** An event of which all but the empty line after it has come may be passed as well. */
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

/** Does the work for each item, so many at once, and tells what is wrong with any. */
async function inTurns<T>(
  items: readonly T[],
  count: number,
  work: (item: T) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const rest = items.values();
  const problems: string[] = [];
  const worker = async () => {
    for (const item of rest) {
      const problem = await work(item);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
  return problems;
}
