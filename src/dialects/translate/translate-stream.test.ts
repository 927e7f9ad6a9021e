import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chatStream,
  dialectStreams,
  messagesStream,
  responsesStream,
  responsesText,
  writeEvents,
} from '../../../test/support/dialect-streams.ts';
import { inSeveralLines } from '../../../test/support/event-stream.ts';
import { eventsOf, foldStream, namedLosses } from '../../../test/support/fold-stream.ts';
import { streamOf } from '../../../test/support/stream-of.ts';
import { recordingOf } from '../../../test/support/wire/recordings.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects } from '../../core/json/loose-json.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { parseReasoning } from '../chat-completions/reasoning.ts';
import { createStreamWriter as createChatWriter } from '../chat-completions/write-stream.ts';
import { dialectOf } from '../dialects.ts';
import { createStreamWriter as createMessagesWriter } from '../messages/write-stream.ts';
import type { Completion, CompletionContext } from '../model/completion.ts';
import { type StreamEvent, writeStreamEvent } from '../model/stream-events.ts';
import { parseArguments } from '../model/tool-input.ts';
import type { OutputBlock } from '../model/turns.ts';
import { createStreamWriter as createResponsesWriter } from '../responses/write-stream.ts';
import { findResponseError } from './translate-error.ts';
import { translateResponse } from './translate-response.ts';
import { createStreamTranslator } from './translate-stream.ts';

const chat = 'chat-completions';

const context: CompletionContext = {
  requestId: 'request',
  model: 'requested-model',
  created: 1_790_000_100,
  request: { stream_options: { include_usage: true } },
};

function translate(pieces: readonly (string | Buffer)[], from: Dialect, to: Dialect, more = {}) {
  const translator = createStreamTranslator(from, to, { ...context, ...more });
  const written = pieces.map((piece) => translator.push(Buffer.from(piece))).join('');
  const { text, isFinished } = translator.end();
  const dropped = [...translator.dropped].toSorted();
  return { text: written + text, isFinished, usage: translator.usage, dropped, translator };
}

/** The body that a stream stands for, with the reasoning that clients send back. */
async function fold(dialect: Dialect, stream: string): Promise<JsonObject> {
  return comparable(dialect, await foldStream(dialect, stream));
}

/**
 * Chat completions can express the same reasoning in several ways, of which a stream and a whole
 * response may choose different ones.
 */
function comparable(dialect: Dialect, { presetd: _, ...body }: JsonObject): JsonObject {
  if (dialect !== chat) return body;
  const choices = asObjects(body.choices).map((choice) => {
    const { reasoning, reasoning_content, reasoning_details, ...message } = asObject(choice.message);
    const parts = parseReasoning({ reasoning, reasoning_content, reasoning_details }, '');
    return { ...choice, message: { ...message, reasoning: parts } };
  });
  return { ...body, choices };
}

const others = (from: Dialect) => dialects.filter((to) => to !== from);
const pairs = dialects.flatMap((from) => others(from).map((to) => [from, to] as const));
const cases = dialectStreams().flatMap((stream) =>
  others(stream.dialect).map((to) => [stream.title, to, stream] as const),
);

describe('a translated stream', () => {
  it.each(cases)('%s, to %s: says the same as the whole response', async (_, to, { dialect, text }) => {
    const whole = await foldStream(dialect, text);
    const { body, dropped } = translateResponse(whole, dialect, to, context);
    const translated = translate([text], dialect, to);
    expect(translated.isFinished).toBe(true);
    expect(await fold(to, translated.text)).toEqual(comparable(to, body));
    expect(translated.dropped).toEqual(dropped);
    expect(namedLosses(translated.text)).toEqual(dropped);
  });

  it.each(cases)('%s, to %s: is the same if it arrives byte by byte', (_, to, { dialect, text }) => {
    const bytes = Buffer.from(text);
    const pieces = Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
    expect(translate(pieces, dialect, to).text).toBe(translate([text], dialect, to).text);
  });

  it.each(dialects)('%s: is the same wherever it is cut in two', (from) => {
    const { stream } = recordingOf[from];
    const to = from === 'messages' ? chat : 'messages';
    const whole = translate([stream], from, to).text;
    const isOther = (at: number) =>
      translate([stream.subarray(0, at), stream.subarray(at)], from, to).text !== whole;
    expect([...stream.keys()].filter(isOther)).toEqual([]);
  });

  it.each(pairs)('%s to %s: ends with an error wherever it breaks off', (from, to) => {
    const { stream } = recordingOf[from];
    const whole = translate([stream], from, to).text;
    const isWrong = (at: number) => {
      const { text, isFinished, translator } = translate([stream.subarray(0, at)], from, to);
      const error = translator.fail(502, 'The upstream is gone.');
      if (isFinished) return error !== '';
      const isError = error.includes('The upstream is gone.') && dialectOf[to].stream.hasFinished(error);
      return !isError || !whole.startsWith(text) || translator.fail(502, 'Again.') !== '';
    };
    expect([...stream.keys()].filter(isWrong)).toEqual([]);
  });
});

describe('lines of a stream', () => {
  const text = chatStream([{ role: 'assistant', content: 'Hi' }], 'stop');
  const translated = translate([text], chat, 'messages').text;

  it.each<[string, string]>([
    ['end with CRLF', text.replaceAll('\n', '\r\n')],
    ['end with CR', text.replaceAll('\n', '\r')],
    ['have no space after the colon', text.replaceAll('data: ', 'data:')],
    ['be comments, empty or other fields', `: hello\n\nid: 1\nretry: 5\ndata:\n\n${text}`],
    ['lack the last line break', text.trimEnd()],
    ['not be followed by empty ones', text.replaceAll('\n\n', '\n')],
    ['be parts of an event', inSeveralLines(text)],
    ['be parts of an event and end with CRLF', inSeveralLines(text).replaceAll('\n', '\r\n')],
    ['be parts of an event and end with CR', inSeveralLines(text).replaceAll('\n', '\r')],
    ['be parts of an event and lack the last line breaks', inSeveralLines(text).trimEnd()],
    ['follow the end', `${text}data: {"choices":[{"index":0,"delta":{"content":"more"}}]}\n\ndata: what\n\n`],
  ])('lines of a stream may %s', (_, stream) => {
    expect(translate([stream], chat, 'messages').text).toBe(translated);
    const pieces = Array.from(Buffer.from(stream), (byte) => [Buffer.from([byte]), Buffer.alloc(0)]);
    expect(translate(pieces.flat(), chat, 'messages').text).toBe(translated);
  });

  it('nothing follows the error that ends a stream, even if a finish reason came before', () => {
    const stopped = writeEvents([{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]);
    const { text: written } = translate([`${stopped}data: what\n\n`], chat, 'messages');
    expect(eventsOf(written).map(({ type }) => type)).toEqual(['message_start', 'error']);
  });

  it('the usage of a stream is not changed by lines that follow the end', () => {
    const ended = `${recordingOf.responses.stream}`;
    const response = { status: 'completed', usage: { input_tokens: 9_999, output_tokens: 9_999 } };
    const more = `data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`;
    const { usage } = translate([ended], 'responses', chat);
    expect(translate([ended + more], 'responses', chat).usage).toEqual(usage);
  });

  it.each(dialects)('%s: the last event may be in several lines without line breaks after it', (from) => {
    const stream = `${recordingOf[from].stream}`.replace('data: [DONE]\n\n', '');
    const to = from === 'messages' ? chat : 'messages';
    const { text: expected } = translate([stream], from, to);
    expect(translate([inSeveralLines(stream).trimEnd()], from, to)).toMatchObject({
      text: expected,
      isFinished: true,
    });
  });

  it.each([
    'data: {"choices":[\n\n',
    'data: {"choices":\ndata: {}\ndata: []}\n\n',
    'data: what\ndata:\n\n',
    'data: {"a":1\ndata: 2}\n\n',
  ])('events must be JSON objects, unlike %j', (stream) => {
    const { text: written, isFinished } = translate([stream], chat, 'messages');
    expect(isFinished).toBe(true);
    expect(eventsOf(written)).toMatchObject([{ type: 'error', error: { type: 'api_error' } }]);
  });

  const mebibyte = 'a'.repeat(1_048_576);
  it.each([
    ['a line', ['data: {"a":"', ...Array.from({ length: 9 }, () => mebibyte)]],
    ['a complete line', [`data: {"a":"${mebibyte.repeat(9)}"}\n`]],
    ['several lines', ['data: {\n', ...Array.from({ length: 9 }, () => `data: "a":"${mebibyte}",\n`)]],
  ])('events must not be longer than 8 MiB: %s', (_, pieces) => {
    const { text: written, isFinished } = translate(pieces, chat, 'responses');
    expect(isFinished).toBe(true);
    const error = {
      code: 'server_error',
      message: 'The upstream sent an event that is too long to be translated.',
      param: null,
    };
    expect(eventsOf(written)).toEqual([
      { type: 'error', ...error, error: { type: 'server_error', ...error }, sequence_number: 0 },
    ]);
  });
});

describe('a stream that holds back text', () => {
  it('ends with an error if there is too much of it', () => {
    const piece = 'a'.repeat(1_048_576);
    const deltas = Array.from({ length: 17 }, () => ({ content: piece }));
    const lines = chatStream(deltas, 'stop').split(/(?<=\n\n)/);
    const { text, isFinished } = translate(lines, chat, 'responses');
    expect(isFinished).toBe(true);
    expect(eventsOf(text).slice(-2)).toMatchObject([
      { type: 'error', message: 'The response of the upstream is too long to be translated.' },
      { type: 'response.failed' },
    ]);
    // Messages repeats nothing, so that nothing has to be buffered.
    expect(eventsOf(translate(lines, chat, 'messages').text).at(-1)).toEqual({ type: 'message_stop' });
  });

  const many = Array.from({ length: 17 }, () => 'a'.repeat(1_048_576));
  const annotations = many.map((title) => ({
    type: 'url_citation',
    url_citation: { url: 'https://a.example', title, start_index: 0, end_index: 1 },
  }));
  it.each<[string, Dialect, Dialect, string]>([
    [
      'the arguments of a function that stands for a custom tool',
      'messages',
      chat,
      messagesStream(
        [
          [
            { type: 'tool_use', id: 't', name: 'patch', input: {} },
            ...many.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
          ],
        ],
        { stop_reason: 'tool_use' },
      ),
    ],
    [
      'the arguments of a function',
      'responses',
      'messages',
      writeEvents([
        { type: 'response.output_item.added', item: { type: 'function_call', call_id: 'c', name: 'f' } },
        ...many.map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      ]),
    ],
    [
      'citations',
      chat,
      'messages',
      chatStream([{ content: 'a' }, ...annotations.map((each) => ({ annotations: [each] }))], 'stop'),
    ],
    [
      'citations',
      chat,
      'responses',
      chatStream([{ content: 'a' }, ...annotations.map((each) => ({ annotations: [each] }))], 'stop'),
    ],
    [
      'citations',
      'messages',
      chat,
      messagesStream(
        [
          [
            { type: 'text', text: '' },
            { type: 'text_delta', text: 'a' },
            ...many.map((title) => ({
              type: 'citations_delta',
              citation: { type: 'web_search_result_location', url: 'https://a.example', title },
            })),
          ],
        ],
        { stop_reason: 'end_turn' },
      ),
    ],
  ])('ends with an error if there is too much of %s, from %s to %s', (_, from, to, stream) => {
    const lines = stream.split(/(?<=\n\n)/);
    const { text } = translate(lines, from, to, { customTools: new Set(['patch']) });
    expect(text).toContain('The response of the upstream is too long to be translated.');
  });
});

describe('an error inside a stream', () => {
  const started: Readonly<Record<Dialect, string>> = {
    [chat]: chatStream([{ role: 'assistant', content: 'Hi' }], 'stop').split('\n\n')[0] ?? '',
    messages: messagesStream([], {}).split('\n\n')[0] ?? '',
    responses: recordingOf.responses.stream.toString('utf8').split('\n\n')[0] ?? '',
  };
  const errors: Readonly<Record<Dialect, JsonObject>> = {
    [chat]: { error: { code: 429, message: 'Slow down.', metadata: {} } },
    messages: { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } },
    responses: { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.', param: null },
  };
  const expected: Readonly<Record<Dialect, readonly JsonObject[]>> = {
    [chat]: [{ object: 'chat.completion.chunk', error: { code: 429, message: 'Slow down.' } }],
    messages: [{ type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } }],
    responses: [
      { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.' },
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } },
      },
    ],
  };

  it.each(pairs)('%s to %s: has the form of the client', (from, to) => {
    const stream = `${started[from]}\n\n${writeEvents([errors[from]])}`;
    const { text, isFinished } = translate([stream], from, to);
    expect(isFinished).toBe(true);
    expect(eventsOf(text).slice(-expected[to].length)).toMatchObject(expected[to]);
    if (to === 'responses')
      expect(eventsOf(text).map(({ sequence_number: number }) => number)).toEqual(
        eventsOf(text).map((_, at) => at),
      );
  });

  it.each<[string, JsonObject, number]>([
    ['OpenAI', { error: { message: 'm', type: 'server_error', param: null, code: null } }, 502],
    [
      'OpenAI',
      { error: { message: 'm', type: 'invalid_request_error', code: 'context_length_exceeded' } },
      400,
    ],
    ['OpenRouter', { error: { message: 'm', code: '503' } }, 503],
    ['vLLM', { error: { message: 'm', code: 400, type: 'BadRequestError' } }, 400],
  ])('an error in a stream of %s: %j has status %i', (_, error, status) => {
    const { text } = translate([started[chat], '\n\n', writeEvents([error])], chat, chat);
    expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: status, message: 'm' } });
  });

  it('has the status and the words that clients recognize', () => {
    const busy = { error: { code: 503, message: 'Busy' } };
    const { text } = translate([started[chat], '\n\n', writeEvents([busy])], chat, 'messages');
    expect(eventsOf(text).at(-1)).toMatchObject({ error: { type: 'overloaded_error', message: 'Busy' } });
    const tooLong = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long' },
    };
    const { text: failed } = translate([writeEvents([tooLong])], 'messages', 'responses');
    expect(eventsOf(failed)).toMatchObject([{ type: 'error', code: 'context_length_exceeded' }]);
  });

  it('is translated if it is in the choice', () => {
    const error = {
      choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 502, message: 'm' } }],
    };
    const { text } = translate([started[chat], '\n\n', writeEvents([error])], chat, 'messages');
    expect(eventsOf(text).at(-1)).toMatchObject({ type: 'error', error: { message: 'm' } });
  });

  const failures: readonly [Dialect, string, JsonObject, string, number][] = [
    ...['error', 'abort', 'insufficient_system_resource', 'malformed_function_call'].map(
      (reason): (typeof failures)[number] => [
        chat,
        `finish reason "${reason}"`,
        { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: reason }] },
        chatStream([{ role: 'assistant', content: 'Hi' }], reason),
        reason === 'insufficient_system_resource' ? 503 : 502,
      ],
    ),
    ...['failed', 'cancelled'].map((status): (typeof failures)[number] => [
      'responses',
      `status "${status}"`,
      { status, error: null, output: [] },
      responsesStream([responsesText(['Hi'])], { status }),
      502,
    ]),
  ];

  it.each(failures.flatMap((failure) => others(failure[0]).map((to) => [to, ...failure] as const)))(
    'a %s client gets an error instead of a response of %s with the %s, whole and streamed',
    (to, from, words, body, stream, status) => {
      const found = findResponseError(body, from);
      expect(found).toMatchObject({ status, error: { message: expect.stringContaining(words) } });
      const { text, isFinished, usage } = translate([stream], from, to);
      expect(isFinished).toBe(true);
      const last = eventsOf(text).at(-1);
      const error = asObject(to === 'responses' ? asObject(last?.response).error : last?.error);
      expect(error.message).toBe(found?.error.message);
      expect(error.code ?? error.type).toBe(errorCodes[to][status]);
      // Tokens of a failed response cost the same.
      expect(usage).toMatchObject({ input: 35, output: 30 });
    },
  );

  const errorCodes: Readonly<Record<Dialect, Readonly<Record<number, unknown>>>> = {
    [chat]: { 502: 502, 503: 503 },
    messages: { 502: 'api_error', 503: 'overloaded_error' },
    responses: { 502: 'server_error', 503: 'server_error' },
  };

  it.each([
    ['response.completed', 'in_progress', 'stop'],
    ['response.incomplete', 'queued', 'length'],
    ['response.completed', undefined, 'stop'],
    ['response.cancelled', 'completed', 'error'],
    ['response.cancelled', undefined, 'error'],
    ['response.completed', 'cancelled', 'error'],
    ['response.error', undefined, 'error'],
  ])('an event %s of a response with the status %s ends it with "%s"', (type, status, reason) => {
    const stream = `${started.responses}\n\n${writeEvents([{ type, response: { status, output: [] } }])}`;
    const { text, isFinished } = translate([stream], 'responses', chat);
    expect(isFinished).toBe(true);
    const [choice] = eventsOf(text)
      .flatMap(({ choices }) => asObjects(choices))
      .slice(-1);
    expect(choice?.finish_reason).toBe(reason);
  });

  it('a stream that waits in a queue has the id of its response', () => {
    const response = { id: 'resp_7', model: 'm', status: 'queued' };
    const stream = writeEvents([
      { type: 'response.queued', response },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [] } },
    ]);
    expect(eventsOf(translate([stream], 'responses', chat).text)[0]).toMatchObject({ id: 'chatcmpl-7' });
  });

  it.each(pairs)('%s to %s: names a stop reason that nobody knows, whole and streamed', (from, to) => {
    const bodies: Readonly<Record<Dialect, JsonObject>> = {
      [chat]: { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'tired' }] },
      messages: { content: [], stop_reason: 'tired' },
      responses: { status: 'incomplete', incomplete_details: { reason: 'tired' }, output: [] },
    };
    const { dropped } = translateResponse(bodies[from], from, to, context);
    expect(dropped).toEqual([expect.stringMatching(/reason$/)]);
    expect(translate([streamOf(from, bodies[from])], from, to).dropped).toEqual(dropped);
  });

  it('is `response.failed` of the responses dialect', () => {
    const failed = {
      type: 'response.failed',
      response: { error: { code: 'server_error', message: 'Oops.' } },
    };
    const { text } = translate([started.responses, '\n\n', writeEvents([failed])], 'responses', 'messages');
    expect(eventsOf(text).at(-1)).toMatchObject({ type: 'error', error: { message: 'Oops.' } });
  });
});

describe('usage of a stream', () => {
  const text = chatStream([{ role: 'assistant', content: 'Hi' }], 'stop');
  const usage = { input: 35, output: 30, cacheRead: 10, reasoning: 12, cost: 0.0012 };

  it('is known to the caller', () => {
    expect(translate([text], chat, 'messages').usage).toEqual(usage);
    expect(translate([messagesStream([], { stop_reason: 'end_turn' })], 'messages', chat).usage).toEqual({
      input: 35,
      output: 30,
      cacheRead: 10,
      cacheWrite: 5,
      reasoning: 12,
    });
  });

  it('is known to the caller if the event that reports an error has it', () => {
    const failed = {
      choices: [],
      error: { message: 'Oops.' },
      usage: { prompt_tokens: 35, completion_tokens: 3 },
    };
    const { usage: known, text: written } = translate([writeEvents([failed])], chat, 'messages');
    expect(known).toEqual({ input: 35, output: 3 });
    expect(eventsOf(written).at(-1)).toMatchObject({ type: 'error', error: { message: 'Oops.' } });
  });

  it('is written for chat completions only if the request asks for it', () => {
    const stream = messagesStream([[{ type: 'text', text: 'Hi' }]], { stop_reason: 'end_turn' });
    const events = eventsOf(translate([stream], 'messages', chat, { request: {} }).text);
    expect(events.filter((event) => 'usage' in event)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  it('the usage of a messages stream starts with the estimate of the input and ends with the count', () => {
    const events = eventsOf(translate([text], chat, 'messages', { estimatedInputTokens: 33 }).text);
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 33, output_tokens: 0 } } });
    expect(events.at(-2)).toMatchObject({
      usage: { input_tokens: 25, cache_read_input_tokens: 10, output_tokens: 30, cost: 0.0012 },
    });
  });

  it.each(['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'])(
    'the usage of a messages stream keeps its %s if a later event has null instead',
    (name) => {
      const events = eventsOf(messagesStream([], { stop_reason: 'end_turn' }));
      const last = { type: 'message_delta', delta: {}, usage: { [name]: null } };
      const stream = writeEvents([...events.slice(0, -1), last, ...events.slice(-1)]);
      const { usage: known, text: written } = translate([stream], 'messages', chat);
      expect(known).toEqual({ input: 35, output: 30, cacheRead: 10, cacheWrite: 5, reasoning: 12 });
      expect(eventsOf(written).at(-1)).toMatchObject({
        usage: { prompt_tokens: 35, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 10 } },
        choices: [],
      });
    },
  );

  it('the usage of a messages stream keeps the stop reason if a later event has null instead', () => {
    const events = eventsOf(messagesStream([], { stop_reason: 'max_tokens' }));
    const last = { type: 'message_delta', delta: { stop_reason: null }, usage: null };
    const stream = writeEvents([...events.slice(0, -1), last, ...events.slice(-1)]);
    expect(translate([stream], 'messages', chat).text).toContain('"finish_reason":"length"');
  });

  const usageChunk = /data: [^\n]*"choices":\[\],"usage":([^\n]*)\}\n\n/;
  const [, counts = ''] = usageChunk.exec(text) ?? [];

  it.each([
    [
      'comes with the finish reason',
      text.replace(usageChunk, '').replace(/("finish_reason":"stop"[^\n]*"usage":)null/, `$1${counts}`),
    ],
    ['is counted in every chunk', text.replaceAll('"usage":null', `"usage":${counts}`)],
    ['is the end of the stream', text.replace('data: [DONE]\n\n', '')],
  ])('the usage of a chat completions stream %s', (_, stream) => {
    expect(stream).not.toBe(text);
    const { usage: known, text: written } = translate([stream], chat, 'messages');
    expect(known).toEqual(usage);
    expect(written).toBe(translate([text], chat, 'messages').text);
  });

  it('may be missing', () => {
    const without = text.replace(usageChunk, '');
    expect(translate([without], chat, 'messages')).toMatchObject({ isFinished: true, usage: undefined });
    expect(translate([without.replace('data: [DONE]\n\n', '')], chat, 'messages').isFinished).toBe(true);
  });

  it('the usage of a messages stream does not repeat an estimate at its end', () => {
    const without = text.replace(usageChunk, '');
    const events = eventsOf(translate([without], chat, 'messages', { estimatedInputTokens: 33 }).text);
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 33 } } });
    expect(events.at(-2)?.usage).toEqual({ output_tokens: 0 });
  });
});

describe('a custom tool that the upstream knows as a function', () => {
  const customTools = new Set(['run']);
  const call = { type: 'tool_use', id: 'tool_1', name: 'run', input: {} };
  const pieces = ['{"inp', 'ut":"ls \\"ä\\"', '\\n"}'];
  const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  const stream = messagesStream([[call, ...deltas]], { stop_reason: 'tool_use' });

  it('gets its free text in chat completions', async () => {
    const { text } = translate([stream], 'messages', chat, { customTools });
    const calls = eventsOf(text).flatMap(({ choices }) =>
      asObjects(asObject(asObjects(choices)[0]?.delta).tool_calls),
    );
    expect(calls).toEqual([
      { index: 0, id: 'tool_1', type: 'custom', custom: { name: 'run', input: '' } },
      { index: 0, custom: { input: 'ls "ä"\n' } },
    ]);
  });

  it('gets its free text in responses', async () => {
    const { text } = translate([stream], 'messages', 'responses', { customTools });
    const { output } = await foldStream('responses', text);
    expect(output).toMatchObject([{ type: 'custom_tool_call', call_id: 'tool_1', input: 'ls "ä"\n' }]);
  });

  it('gets its free text if the upstream knows it by another name', async () => {
    const more = {
      toolNames: new Map([['run', 'sh__run!']]),
      customTools: new Set(['sh__run!']),
      namespacedTools: new Map([['sh__run!', { namespace: 'sh', name: 'run!' }]]),
    };
    const { text } = translate([stream], 'messages', 'responses', more);
    const { output } = await foldStream('responses', text);
    expect(output).toMatchObject([
      { type: 'custom_tool_call', namespace: 'sh', name: 'run!', input: 'ls "ä"\n' },
    ]);
  });

  it('does not get the text that follows it', async () => {
    const said = [
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Done.' },
    ];
    const longer = messagesStream([[call, ...deltas], said], { stop_reason: 'tool_use' });
    const { text } = translate([longer], 'messages', 'responses', { customTools });
    const { output } = await foldStream('responses', text);
    expect(output).toMatchObject([
      { type: 'custom_tool_call', input: 'ls "ä"\n' },
      { type: 'message', content: [{ text: 'Done.' }] },
    ]);
  });
});

describe('a field that no other dialect has', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const bodies: Readonly<Record<Dialect, JsonObject>> = {
    [chat]: {
      id: '1',
      choices: [{ index: 0, message: { content: 'Hi', tool_calls: [call] }, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 1 } },
    },
    messages: {
      id: '1',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'a', name: 'f', input: { city: 'Bonn' }, caller: { type: 'direct' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    responses: {
      id: '1',
      status: 'completed',
      output: [
        { id: 'm', type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
        {
          id: 'c',
          type: 'function_call',
          call_id: 'a',
          name: 'f',
          arguments: '{}',
          caller: { type: 'direct' },
        },
      ],
      usage: { input_tokens: 1, output_tokens: 1, output_tokens_details: { reasoning_tokens: 1 } },
    },
  };
  const added = { is_new: { a: 1 } };
  /** The body with one more field, in each of its objects in turn. */
  function* withField(value: unknown): Generator<unknown> {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries())
        for (const each of withField(item)) yield value.with(at, each);
    } else if (isJsonObject(value)) {
      yield { ...value, ...added };
      // The input of a tool may have any field.
      for (const [name, field] of Object.entries(value))
        if (name !== 'input') for (const each of withField(field)) yield { ...value, [name]: each };
    }
  }
  const bodiesWithField = dialects.flatMap((from) =>
    [...withField(bodies[from])].map((body) => [from, body as JsonObject] as const),
  );

  it.each(bodiesWithField)('is named, whole and streamed: %s, %j', (from, body) => {
    const [to = chat] = others(from);
    const { dropped } = translateResponse(body, from, to, context);
    expect(dropped).toEqual([expect.stringMatching(/is_new$|caller$/)]);
    expect(translate([streamOf(from, body)], from, to).dropped).toEqual(dropped);
  });

  it('is named if only the last event of a messages stream has it', () => {
    const edits = { context_management: { applied_edits: [{ type: 'clear_thinking_20251015' }] } };
    const whole = { ...bodies.messages, ...edits };
    const { dropped } = translateResponse(whole, 'messages', chat, context);
    expect(dropped).toEqual(['context_management']);
    const events = eventsOf(streamOf('messages', bodies.messages)).map((event) =>
      event.type === 'message_delta' ? { ...event, ...edits } : event,
    );
    expect(translate([writeEvents(events)], 'messages', chat).dropped).toEqual(dropped);
  });
});

describe('the arguments of a function', () => {
  const valid = ['', ' ', '{}', '{"city":"Zürich","days":[1]}', '{"n":12345678901234567890}', ' {"a":1}\n'];
  const invalid = [
    '{"city":',
    'Zürich',
    '[1]',
    '"city"',
    'null',
    '{"a":1}}',
    '{"INVALID_JSON":"x"',
    '12345678901234567890',
  ];
  const bodyOf: Readonly<Record<Dialect, (text: string) => JsonObject>> = {
    [chat]: (text) => ({
      choices: [
        {
          index: 0,
          message: { tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }] },
          finish_reason: 'tool_calls',
        },
      ],
    }),
    messages: (text) => ({
      content: [{ type: 'tool_use', id: 'a', name: 'f', input: parseArguments(text) }],
      stop_reason: 'tool_use',
    }),
    responses: (text) => ({
      status: 'completed',
      output: [{ id: 'fc_1', type: 'function_call', call_id: 'a', name: 'f', arguments: text }],
    }),
  };
  /** The arguments in a body, as JSON. */
  const argumentsOf: Readonly<Record<Dialect, (body: JsonObject) => string>> = {
    [chat]: (body) => {
      const [call] = asObjects(asObject(asObjects(body.choices)[0]?.message).tool_calls);
      return `${asObject(call?.function).arguments}`;
    },
    messages: (body) => JSON.stringify(asObjects(body.content)[0]?.input),
    responses: (body) => `${asObjects(body.output)[0]?.arguments}`,
  };
  const inPieces = (text: string) => text.split(/(?<=\n\n)/);

  it.each(pairs.flatMap(([from, to]) => valid.map((text) => [from, to, text] as const)))(
    '%s to %s: %j are the same object, whole and streamed',
    async (from, to, text) => {
      const { body, dropped } = translateResponse(bodyOf[from](text), from, to, context);
      const expected = JSON.stringify(parseArguments(text));
      expect(JSON.stringify(parseArguments(argumentsOf[to](body)))).toBe(expected);
      expect(dropped).toEqual([]);
      const { text: stream, dropped: lost } = translate(
        inPieces(streamOf(from, bodyOf[from](text))),
        from,
        to,
      );
      // The SDK of Anthropic rounds numbers.
      const isExact = to !== 'messages' || !text.includes('"n"');
      if (isExact)
        expect(JSON.stringify(parseArguments(argumentsOf[to](await foldStream(to, stream))))).toBe(expected);
      else expect(stream).toContain(JSON.stringify(text));
      expect(lost).toEqual([]);
    },
  );

  const strings = pairs.filter(([from]) => from !== 'messages');
  it.each(strings.flatMap(([from, to]) => invalid.map((text) => [from, to, text] as const)))(
    '%s to %s: %j stay as they are, or are wrapped and named, whole and streamed',
    async (from, to, text) => {
      const { body, dropped } = translateResponse(bodyOf[from](text), from, to, context);
      const isWrapped = to === 'messages';
      expect(argumentsOf[to](body)).toBe(isWrapped ? JSON.stringify({ INVALID_JSON: text }) : text);
      const path = from === chat ? 'choices.*.message.tool_calls.*.function.arguments' : 'output.*.arguments';
      expect(dropped).toEqual(isWrapped ? [path] : []);
      const streamed = translate(inPieces(streamOf(from, bodyOf[from](text))), from, to);
      expect(argumentsOf[to](await foldStream(to, streamed.text))).toBe(argumentsOf[to](body));
      expect(streamed.dropped).toEqual(dropped);
      expect(namedLosses(streamed.text)).toEqual(dropped);
    },
  );

  it('white space after the arguments does not make them empty', async () => {
    const pieces = ['{"a":1}', ' \n'].map((text) => ({
      tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }],
    }));
    const { text } = translate([chatStream(pieces, 'tool_calls')], chat, 'responses');
    expect(argumentsOf.responses(await foldStream('responses', text))).toBe('{"a":1} \n');
  });

  it('a messages client gets pings while arguments arrive, and then all of them', () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '' } };
    const pieces = ['{"a"', ':1}'].map((text) => ({
      tool_calls: [{ index: 0, function: { arguments: text } }],
    }));
    const stream = chatStream(
      [{ tool_calls: [call] }, ...pieces, { tool_calls: [{ ...call, index: 1, id: 'b' }] }],
      'tool_calls',
    );
    const events = eventsOf(translate([stream], chat, 'messages').text).slice(1, -2);
    expect(events.map(({ type, delta }) => asObject(delta).partial_json ?? type)).toEqual([
      'content_block_start',
      'ping',
      'ping',
      '{"a":1}',
      'content_block_stop',
      'content_block_start',
      'ping',
      '{}',
      'content_block_stop',
    ]);
  });

  it('a custom tool that was called without arguments gets an empty text', () => {
    const customTools = new Set(['f']);
    for (const to of [chat, 'responses'] as const)
      for (const from of others(to)) {
        const { body } = translateResponse(bodyOf[from](''), from, to, { ...context, customTools });
        expect(JSON.stringify(body)).toContain('"input":""');
        const { text } = translate([streamOf(from, bodyOf[from](''))], from, to, { customTools });
        expect(text).not.toContain('{}"');
        expect(text).toContain('"input":""');
      }
  });
});

it('a translated stream restores the namespace of a tool', async () => {
  const call = { type: 'tool_use', id: 'tool_1', name: 'mail__send', input: {} };
  const stream = messagesStream([[call]], { stop_reason: 'tool_use' });
  const namespacedTools = new Map([['mail__send', { namespace: 'mail', name: 'send' }]]);
  const { text } = translate([stream], 'messages', 'responses', { namespacedTools });
  const { output } = await foldStream('responses', text);
  expect(output).toMatchObject([{ type: 'function_call', namespace: 'mail', name: 'send', arguments: '{}' }]);
});

describe('a stream of random content', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const id = fc.stringMatching(/^[a-z]{4}[0-9]{2}$/);
  const extras = (dialect: Dialect) => ({ dialect, fields: {} });

  const textBlock = (dialect: Dialect): fc.Arbitrary<OutputBlock> =>
    text.map((said) => ({ kind: 'text', text: said, extras: extras(dialect) }));

  const callBlock = (dialect: Dialect): fc.Arbitrary<OutputBlock> =>
    fc.record({ id, name: id, input: fc.dictionary(id, fc.oneof(text, fc.integer())) }).map((call) => ({
      kind: 'tool-call',
      id: call.id,
      name: call.name,
      input: JSON.stringify(call.input),
      isCustom: false,
      extras: extras(dialect),
      path: '',
      inputPath: '',
    }));

  const reasoningBlock = (dialect: Dialect): fc.Arbitrary<OutputBlock> =>
    fc.record({ text, id, isHidden: fc.boolean() }).map((given) => {
      const shown = given.isHidden ? '' : given.text;
      return {
        kind: 'reasoning',
        text: shown,
        isSummary: dialect === 'responses' && shown !== '',
        original: { dialect, part: reasoningPart(dialect, given.id, shown) },
        path: '',
      };
    });

  function reasoningPart(dialect: Dialect, secret: string, shown: string): JsonObject {
    if (dialect === chat)
      return shown === ''
        ? { type: 'reasoning.encrypted', data: secret, format: 'google-gemini-v1', index: 0 }
        : { reasoning_content: shown };
    if (dialect === 'messages')
      return shown === '' && secret < 'm'
        ? { type: 'redacted_thinking', data: secret }
        : { type: 'thinking', thinking: shown, signature: secret };
    const summary = shown === '' ? [] : [{ type: 'summary_text', text: shown }];
    return { id: `rs_${secret}`, type: 'reasoning', summary, encrypted_content: secret };
  }

  /** Parsers take calls with the same id for one call, and the same of items of reasoning. */
  function identityOf(block: OutputBlock): unknown {
    if (block.kind === 'tool-call') return block.id;
    return block.kind === 'reasoning' ? JSON.stringify(block.original) : block;
  }

  /** Chat completions does not say in which order blocks came. */
  const contentOf = (dialect: Dialect): fc.Arbitrary<readonly OutputBlock[]> => {
    const list = (block: fc.Arbitrary<OutputBlock>, maxLength: number) =>
      fc.uniqueArray(block, { maxLength, selector: identityOf });
    if (dialect !== chat)
      return list(fc.oneof(textBlock(dialect), callBlock(dialect), reasoningBlock(dialect)), 5);
    return fc
      .tuple(list(reasoningBlock(chat), 1), list(textBlock(chat), 1), list(callBlock(chat), 3))
      .map((blocks) => blocks.flat());
  };

  const completionOf = (dialect: Dialect): fc.Arbitrary<Completion> =>
    fc
      .record({ content: contentOf(dialect), isCut: fc.boolean(), input: fc.nat(99), output: fc.nat(99) })
      .map(({ content, isCut, input, output }) => ({
        id: 'upstream',
        model: 'model',
        created: 1_790_000_000,
        content,
        stop: {
          reason: isCut ? 'length' : content.some(({ kind }) => kind === 'tool-call') ? 'tool-calls' : 'end',
        },
        usage: { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
        extras: {},
      }));

  /** Cuts texts into pieces of so many characters. */
  function* toEvents({ content, id: responseId, model, created, stop, usage }: Completion, size: number) {
    yield { type: 'start', id: responseId, model, created, usage } satisfies StreamEvent;
    for (const block of content) {
      const isCall = block.kind === 'tool-call';
      if (block.kind !== 'text' && block.kind !== 'reasoning' && !isCall) throw new Error(block.kind);
      yield { type: 'block-start', block } satisfies StreamEvent;
      const said = isCall ? block.input : block.text;
      for (let at = 0; at < said.length; at += size)
        yield { type: 'delta', text: said.slice(at, at + size) } satisfies StreamEvent;
      yield {
        type: 'block-end',
        ...(block.kind === 'reasoning' && { reasoning: block.original }),
      } satisfies StreamEvent;
    }
    yield { type: 'finish', stop, usage } satisfies StreamEvent;
  }

  const createWriterOf = {
    [chat]: createChatWriter,
    messages: createMessagesWriter,
    responses: createResponsesWriter,
  };

  it.each(pairs)('%s to %s: says the same as the whole response', async (from, to) => {
    const createWriter = createWriterOf[from];
    await fc.assert(
      fc.asyncProperty(completionOf(from), fc.integer({ min: 1, max: 8 }), async (completion, size) => {
        const writer = createWriter(context);
        const stream = [...toEvents(completion, size)]
          .map((event) => writeStreamEvent(writer, event))
          .join('');
        const { body } = translateResponse(await foldStream(from, stream), from, to, context);
        expect(await fold(to, translate([stream], from, to).text)).toEqual(comparable(to, body));
      }),
      { numRuns: 60 },
    );
  });
});

it('a failed stream has the tokens in responses that messages counted before', () => {
  const message = { id: 'msg_1', model: 'm', usage: { input_tokens: 9 } };
  const events = [
    { type: 'message_start', message },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  ];
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  expect(translate([stream], 'messages', 'responses').text).toContain('"usage":{"input_tokens":9,');
});

it('log probabilities of a streamed text are not those of the next one', async () => {
  const logprob = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] };
  const choices = [
    { index: 0, delta: { content: 'Hi' }, logprobs: { content: [logprob] } },
    { index: 0, delta: { reasoning: 'Hm.' } },
    { index: 0, delta: { content: 'Bye' }, finish_reason: 'stop' },
  ];
  const chunks = choices.map((choice) => JSON.stringify({ choices: [choice] }));
  const stream = chunks.map((chunk) => `data: ${chunk}\n\n`).join('');
  const { text } = translate([`${stream}data: [DONE]\n\n`], chat, 'responses');
  const { output } = await foldStream('responses', text);
  const parts = asObjects(output).flatMap(({ content }) => asObjects(content));
  expect(parts.map(({ logprobs }) => logprobs)).toEqual([[logprob], []]);
});

it('a streamed refusal with log probabilities stays a refusal', () => {
  const logprobs = {
    content: null,
    refusal: [{ token: 'No', logprob: -0.5, bytes: [78], top_logprobs: [] }],
  };
  const choices = [{ index: 0, delta: { refusal: 'No' }, logprobs, finish_reason: 'stop' }];
  const { text } = translate([`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`], chat, 'responses');
  expect(eventsOf(text)).toContainEqual(
    expect.objectContaining({ type: 'response.refusal.delta', delta: 'No' }),
  );
});

it('a streamed refusal that reaches the token limit has that as its stop reason', () => {
  const { text } = translate([chatStream([{ refusal: 'No' }], 'length')], chat, 'messages');
  expect(text).toContain('"stop_reason":"max_tokens"');
});

it('a stream names a service tier that its dialect does not have', () => {
  const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }];
  const chunk = JSON.stringify({ choices, service_tier: 'flex' });
  const { text, dropped } = translate([`data: ${chunk}\n\ndata: [DONE]\n\n`], chat, 'messages');
  expect(dropped).toEqual(['service_tier']);
  expect(namedLosses(text)).toEqual(dropped);
});

it('a streamed text that stays empty has no events in messages', () => {
  const item = { type: 'message', id: 'm', role: 'assistant' };
  const content = [{ type: 'output_text', text: '', annotations: [] }];
  const stream = streamOf('responses', { status: 'completed', output: [{ ...item, content }] });
  const { text } = translate([stream], 'responses', 'messages');
  const types = eventsOf(text).map(({ type }) => type);
  expect(types).toEqual(['message_start', 'message_delta', 'message_stop']);
});

it('the error of a stream continues its completion', () => {
  const [created = ''] = streamOf('responses', { id: 'resp_1', created_at: 17, model: 'm' }).split(
    /(?<=\n\n)/,
  );
  const failure = writeEvents([{ type: 'error', message: 'Overloaded' }]);
  const { text } = translate([created, failure], 'responses', chat);
  expect(eventsOf(text)).toMatchObject([{ created: 17, model: 'm', error: { message: 'Overloaded' } }]);
});

it('a streamed call without an id gets the one that it has in a whole response', () => {
  const call = { index: 0, function: { name: 'f', arguments: '{}' } };
  const choices = [
    { index: 0, delta: { content: 'Wait.' } },
    { index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' },
  ];
  const stream = choices
    .map((choice) => `data: ${JSON.stringify({ id: 'chatcmpl-1', model: 'm', choices: [choice] })}\n\n`)
    .join('');
  const { text } = translate([`${stream}data: [DONE]\n\n`], 'chat-completions', 'messages');
  expect(text).toContain('"id":"call_1_1"');
});
