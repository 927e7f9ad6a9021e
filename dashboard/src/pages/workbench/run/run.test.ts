import { describe, expect, test, vi } from 'vitest';
import { createClient, type HttpRequest } from '../../../../../src/api/client.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import type { Api } from '../../../api/api.ts';
import { ApiError } from '../../../api/api-error.ts';
import { type CallRequest, hasResponse, previewRequest, type Run, runRequest } from './run.ts';

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ model: 'gpt-5', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

const streamed = (body: string | ReadableStream<Uint8Array>) =>
  new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'x-presetd-preset': 'bot@3',
      'x-presetd-upstream': 'openai',
    },
  });

/** A stream that sends the text and then fails or stays open. */
const cut = (text: string, end?: (controller: ReadableStreamDefaultController) => void) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      end?.(controller);
    },
  });

/** Responds to calls and dry runs, and records what was sent. */
function fakeApi(respond: () => Response, answer: () => unknown = () => ({})) {
  const sent: HttpRequest[] = [];
  const api: Api = {
    ...createClient(async (request: HttpRequest) => {
      sent.push(request);
      return { headers: new Headers(), text: '', content: { data: answer() } };
    }),
    ended: new AbortController().signal,
    async open(request) {
      sent.push(request);
      return respond();
    },
    withKey: () => api,
  };
  return { api, sent };
}

const requestIn = (dialect: Dialect): CallRequest => ({
  dialect,
  body: { model: '@preset/bot' },
  chatBody: { model: '@preset/bot', messages: [] },
  workspaceId: 'w',
});

async function runOn({ api }: { readonly api: Api }, dialect: Dialect = 'chat-completions') {
  const steps: Run[] = [];
  const { signal } = new AbortController();
  await runRequest({ api, request: requestIn(dialect), signal, onChange: (run) => steps.push(run) });
  return { steps, last: steps.at(-1) as Run };
}

const errorBody = (message: string, issues: readonly object[] = []) =>
  JSON.stringify({ error: { message, metadata: { issues } } });

describe('a run', () => {
  test('streams the response, and ends with times, version and upstream', async () => {
    const fake = fakeApi(() => streamed(chunk({ content: 'Hel' }) + chunk({ content: 'lo' }, 'stop')));
    const { steps, last } = await runOn(fake);
    expect(fake.sent.map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/chat/completions?workspace_id=w'],
    ]);
    expect(steps.map(({ phase, response }) => [phase, response.text])).toEqual([
      ['waiting', ''],
      ['streaming', 'Hel'],
      ['streaming', 'Hello'],
      ['done', 'Hello'],
    ]);
    expect(last).toMatchObject({ preset: 'bot@3', upstream: 'openai', firstTokenMs: expect.any(Number) });
    expect(last.totalMs).toBeGreaterThanOrEqual(last.firstTokenMs as number);
    expect(hasResponse(last)).toBe(true);
  });

  describe('with a record', () => {
    const usage = (cost?: number) =>
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, cost } })}\n\n`;
    const reply = (cost: number | undefined, fallbacks?: string) => () => {
      const response = streamed(chunk({ content: 'Hello' }, 'stop') + usage(cost));
      response.headers.set('x-generation-id', 'gen-1');
      if (fallbacks !== undefined) response.headers.set('x-presetd-fallbacks', fallbacks);
      return response;
    };

    test.each([
      ['the upstream does not report one', undefined, undefined, 0.002],
      ['another upstream was charged before', 0.001, 'a/b;status-500', 0.003],
    ])('takes the cost from it if %s', async (_, reported, fallbacks, recorded) => {
      vi.useFakeTimers();
      try {
        const unrecorded = () => {
          throw new ApiError(404, 'Not stored yet');
        };
        const answers = [unrecorded, () => ({ presetd: { cost: recorded } })];
        const fake = fakeApi(reply(reported, fallbacks), () => answers.shift()?.());
        const { steps } = await runOn(fake);
        expect(steps.at(-1)).toMatchObject({ phase: 'done', callId: 'gen-1' });
        expect(steps.at(-1)?.response.usage?.cost).toBeUndefined();
        await vi.runAllTimersAsync();
        expect(steps.at(-1)?.response.usage).toMatchObject({ input: 1, cost: recorded });
        expect(fake.sent.map(({ path }) => path).slice(1)).toEqual(Array(2).fill('/generation?id=gen-1'));
      } finally {
        vi.useRealTimers();
      }
    });

    test('keeps the cost that the upstream reports, which is the same', async () => {
      const fake = fakeApi(reply(0.001));
      const { last } = await runOn(fake);
      expect(last.response.usage?.cost).toBe(0.001);
      expect(fake.sent).toHaveLength(1);
    });
  });

  test('keeps the text so far if the upstream reports an error in the stream', async () => {
    const error = `data: ${JSON.stringify({ error: { message: 'overloaded' } })}\n\n`;
    const { last } = await runOn(fakeApi(() => streamed(chunk({ content: 'Hel' }) + error)));
    expect(last).toMatchObject({ phase: 'failed', response: { text: 'Hel', error: 'overloaded' } });
    expect(last.error).toBeUndefined();
  });

  test.each([
    ['the stream ends early', () => cut(chunk({ content: 'Hel' }), (stream) => stream.close()), /before the/],
    [
      'the connection is lost',
      // Not at once, which would drop the text.
      () => cut(chunk({ content: 'Hel' }), (stream) => setTimeout(() => stream.error('gone'), 10)),
      /connection was lost/,
    ],
  ])('keeps the text so far if %s', async (_, body, message) => {
    const { last } = await runOn(fakeApi(() => streamed(body())));
    expect(last).toMatchObject({ phase: 'failed', response: { text: 'Hel' } });
    expect((last.error as Error).message).toMatch(message);
    expect(hasResponse(last)).toBe(true);
  });

  test.each([
    ['a failed call', () => new Response(errorBody('Slow down'), { status: 429 }), 'Slow down'],
    ['a response that is no stream', () => Response.json({ choices: [] }), 'did not return a stream'],
  ])('reports %s', async (_, respond, message) => {
    const { last } = await runOn(fakeApi(respond));
    expect(last.phase).toBe('failed');
    expect((last.error as Error).message).toContain(message);
    expect(hasResponse(last)).toBe(false);
  });

  test('is stopped without an error, and keeps the text so far', async () => {
    const aborter = new AbortController();
    let stream: ReadableStreamDefaultController | undefined;
    const { api } = fakeApi(() =>
      streamed(
        cut(chunk({ content: 'Hel' }), (controller) => {
          stream = controller;
        }),
      ),
    );
    let last: Run | undefined;
    await runRequest({
      api,
      request: requestIn('responses'),
      signal: aborter.signal,
      onChange(run) {
        last = run;
        // As `fetch` ends a response that is aborted.
        if (run.phase === 'streaming' && !aborter.signal.aborted) {
          aborter.abort();
          stream?.error(aborter.signal.reason);
        }
      },
    });
    expect(last).toMatchObject({ phase: 'stopped', response: { text: 'Hel' } });
    expect(last?.error).toBeUndefined();
  });
});

describe('a call in messages that presetd rejects', () => {
  const issue = { path: '/prompt/variables/stars', message: 'must be at most 5' };
  const rejects = () => new Response(errorBody('Not valid'), { status: 400 });

  test('is tried as chat completions, whose errors list the issues', async () => {
    const fake = fakeApi(rejects, () => {
      throw new ApiError(400, 'Not valid', { issues: [issue] });
    });
    const { last } = await runOn(fake, 'messages');
    expect((last.error as ApiError).issues).toEqual([issue]);
    expect(fake.sent.map(({ path, headers }) => [path, headers['x-presetd-dry-run']])).toEqual([
      ['/messages?workspace_id=w', undefined],
      ['/chat/completions?workspace_id=w', 'true'],
    ]);
  });

  test.each([
    ['the key may not preview requests', 'messages', 400, 2],
    ['it failed for another reason', 'messages', 429, 1],
    ['it is in another dialect', 'responses', 400, 1],
  ] as const)('keeps its own error if %s', async (_, dialect, status, requests) => {
    const fake = fakeApi(
      () => new Response(errorBody('Own'), { status }),
      () => {
        throw new ApiError(403, 'Other');
      },
    );
    const { last } = await runOn(fake, dialect);
    expect((last.error as Error).message).toBe('Own');
    expect(fake.sent).toHaveLength(requests);
  });
});

test('a preview asks for the request that presetd would send, and sends nothing else', async () => {
  const effective = { url: 'https://api.example.com' };
  const fake = fakeApi(
    () => new Response(),
    () => effective,
  );
  const { signal } = new AbortController();
  expect(await previewRequest(fake.api, requestIn('responses'), signal)).toEqual(effective);
  expect(fake.sent).toMatchObject([
    { path: '/responses?workspace_id=w', headers: { 'x-presetd-dry-run': 'true' } },
  ]);
});
