import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dialectStreams } from '../support/dialect-streams.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import {
  findCompactionIssues,
  findErrorIssues,
  findResponseIssues,
  findStreamIssues,
  parseResponseStream,
  type ResponseEvent,
} from '../support/open-responses.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { cut, json, recorded, stream } from '../support/upstream-scripts.ts';
import { completionText, type Recording, recordings } from '../support/wire/recordings.ts';

/**
 * The cases of the Open Responses compliance test (`bin/compliance-test.ts` of 2026-07-15, and
 * those of its branches) against an upstream that supports only chat completions or only messages.
 * Each case demands a response that follows the schema, and what `demands` says. The case
 * `response-output-phase-schema` sends no request: it checks the schema itself.
 */
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const message = (role: string, content: unknown, more: object = {}) => ({
  type: 'message',
  role,
  content,
  ...more,
});
const heart = 'data:image/png;base64,iVBORw0KGgo=';
const pdf = 'data:application/pdf;base64,VGl0bGU=';

interface ComplianceCase {
  readonly id: string;
  readonly demands: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The type that an item of the output must have. */
  readonly type?: 'message' | 'function_call';
  /** Parts of the request that must reach the upstream. */
  readonly sent: readonly string[];
}

const cases: readonly ComplianceCase[] = [
  {
    id: 'basic-response',
    demands: 'a completed response with output',
    body: { input: [message('user', 'Say hello in exactly 3 words.')] },
    sent: ['Say hello in exactly 3 words.'],
  },
  {
    id: 'assistant-phase',
    demands: 'that assistant messages with a phase are accepted',
    body: {
      input: [
        message('assistant', 'I should answer with the saved number.', { phase: 'commentary' }),
        message('assistant', 'The number is four.', { phase: 'final_answer' }),
        message('user', 'Repeat only the number.'),
      ],
    },
    sent: ['I should answer with the saved number.', 'The number is four.', 'Repeat only the number.'],
  },
  {
    id: 'system-prompt',
    demands: 'that a system message in the input is accepted',
    body: { input: [message('system', 'You are a pirate.'), message('user', 'Say hello.')] },
    sent: ['You are a pirate.', 'Say hello.'],
  },
  {
    id: 'tool-calling',
    demands: 'a function_call',
    body: { input: [message('user', "What's the weather like in Zürich?")], tools: [weather] },
    type: 'function_call',
    sent: ['"get_weather"', 'Get the current weather for a location'],
  },
  {
    id: 'image-input',
    demands: 'that an image in a data URL is accepted',
    body: {
      input: [
        message('user', [
          { type: 'input_text', text: 'What do you see in this image?' },
          { type: 'input_image', image_url: heart },
        ]),
      ],
    },
    sent: ['What do you see in this image?', 'iVBORw0KGgo='],
  },
  {
    id: 'file-input',
    demands: 'that a PDF in a data URL is accepted',
    body: {
      input: [
        message('user', [
          { type: 'input_text', text: 'Answer with the title only.' },
          { type: 'input_file', filename: 'fixture.pdf', file_data: pdf },
        ]),
      ],
    },
    sent: ['Answer with the title only.', 'VGl0bGU='],
  },
  {
    id: 'multi-turn',
    demands: 'that assistant messages in the input are accepted',
    body: {
      input: [
        message('user', 'My name is Alice.'),
        message('assistant', 'Hello Alice!'),
        message('user', 'What is my name?'),
      ],
    },
    sent: ['My name is Alice.', 'Hello Alice!', 'What is my name?'],
  },
  {
    id: 'function-call-roundtrip',
    demands: 'that a call and its output in the input are accepted',
    body: {
      input: [
        message('user', 'Use the weather tool.'),
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"location":"Bern"}' },
        { type: 'function_call_output', call_id: 'call_1', output: '64 degrees and clear' },
      ],
      tools: [weather],
      tool_choice: { type: 'function', name: 'get_weather' },
    },
    sent: ['call_1', '64 degrees and clear'],
  },
];

const dialects = ['chat-completions', 'messages'] as const;
type UpstreamDialect = (typeof dialects)[number];

const answers: Readonly<Record<UpstreamDialect, { readonly text: Recording; readonly tool: Recording }>> = {
  'chat-completions': { text: recordings['openai-chat'], tool: recordings['openai-chat-tool'] },
  messages: { text: recordings['anthropic-messages'], tool: recordings['anthropic-messages-tool'] },
};

describe('Open Responses', () => {
  let upstreams: Readonly<Record<UpstreamDialect, ScriptedUpstream>>;
  let server: GatewayServer;
  beforeAll(async () => {
    const [chat, messages] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    upstreams = { 'chat-completions': chat, messages };
    server = await startWithFile({
      upstreams: dialects.map((dialect) =>
        compatible(dialect, upstreams[dialect], { dialects: [dialect], models: [`${dialect}/*`] }),
      ),
    });
  });
  beforeEach(() => {
    for (const dialect of dialects) upstreams[dialect].clear();
  });
  afterAll(async () => {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
    await server.stop();
  });

  const respond = (dialect: UpstreamDialect, body: object) =>
    server.post('/api/v1/responses', { model: `${dialect}/model`, input: 'Hi', ...body });

  describe.each(dialects)('with an upstream that supports only %s', (dialect) => {
    const answer = (type: ComplianceCase['type']) =>
      upstreams[dialect].respondAlways(
        recorded(answers[dialect][type === 'function_call' ? 'tool' : 'text']),
      );

    it.each(cases)('$id demands $demands', async ({ body, type = 'message', sent }) => {
      answer(type);
      const response = await respond(dialect, { ...body, stream: false });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(findResponseIssues(response.body)).toEqual([]);
      expect(response.body.status).toBe('completed');
      expect(typesOf(response.body)).toContain(type);
      const received = JSON.stringify(upstreams[dialect].requests[0]?.body);
      for (const part of sent) expect(received).toContain(part);
    });

    it.each(cases)('$id demands the same of a stream', async ({ body, type = 'message' }) => {
      answer(type);
      const response = await respond(dialect, { ...body, stream: true });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const events = parseResponseStream(response.text);
      expect(findStreamIssues(events)).toEqual([]);
      expect(events.at(-1).response.status).toBe('completed');
      expect(typesOf(events.at(-1).response)).toContain(type);
    });

    it('streaming-response demands text in deltas', async () => {
      answer('message');
      const events = parseResponseStream((await respond(dialect, { stream: true })).text);
      expect(deltasOf(events, 'response.output_text.delta')).toBe(completionText);
    });

    it('tool-calling-streaming demands arguments in deltas', async () => {
      answer('function_call');
      const events = parseResponseStream((await respond(dialect, { stream: true, tools: [weather] })).text);
      const { item } = events.find(({ type }) => type === 'response.output_item.done');
      expect(item).toMatchObject({ type: 'function_call', status: 'completed' });
      expect(deltasOf(events, 'response.function_call_arguments.delta')).toBe(item.arguments);
    });

    it.each(dialectStreams().filter((each) => each.dialect === dialect))(
      'every stream follows the specification: $title',
      async ({ text }) => {
        upstreams[dialect].respondWith(stream(text));
        const response = await respond(dialect, { stream: true });
        expect(findStreamIssues(parseResponseStream(response.text))).toEqual([]);
      },
    );

    const compact = (more: object) =>
      server.post('/api/v1/responses/compact', {
        model: `${dialect}/model`,
        prompt_cache_key: 'compact-test',
        input: [
          message('user', 'We agreed to launch on Tuesday.'),
          message('assistant', 'Understood. The launch is Tuesday.'),
        ],
        ...more,
      });

    it('compact-response demands an item that stands for the conversation', async () => {
      const { status, body } = await compact({});
      expect(status).toBe(200);
      expect(findCompactionIssues(body)).toEqual([]);
      expect(typesOf(body)).toEqual(['compaction']);
      const asked = JSON.stringify(upstreams[dialect].requests[0]?.body);
      for (const text of ['launch on Tuesday', 'The launch is Tuesday.', 'Summarize our conversation'])
        expect(asked).toContain(text);
      const next = await respond(dialect, { input: [...body.output, message('user', 'When?')] });
      expect(next.status).toBe(200);
      const sent = JSON.stringify(upstreams[dialect].requests[1]?.body);
      for (const text of [completionText, 'When?']) expect(sent).toContain(text);
      expect(sent).not.toContain('Tuesday');
    });

    it('compact-missing-model demands an error', async () => {
      const { status, body } = await compact({ model: undefined });
      expect([status, body.error.metadata.issues]).toEqual([
        400,
        [{ path: '/model', message: 'is required' }],
      ]);
      expect(upstreams[dialect].requests).toEqual([]);
    });

    it('a compaction without a summary keeps the conversation', async () => {
      answer('function_call');
      const { body } = await compact({});
      expect(findCompactionIssues(body)).toEqual([]);
      await respond(dialect, { input: [...body.output, message('user', 'When?')] });
      const sent = JSON.stringify(upstreams[dialect].requests[1]?.body);
      for (const text of ['launch on Tuesday', 'The launch is Tuesday.', 'When?'])
        expect(sent).toContain(text);
      expect(sent).not.toContain('Summarize');
    });

    it('a compaction reports errors of the upstream, and unknown models', async () => {
      upstreams[dialect].respondWith(json({ error: { message: 'too hot' } }, 400));
      expect((await compact({})).body.error.message).toBe('too hot');
      const { status, body } = await compact({ model: 'unknown' });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('No upstream serves')]);
    });

    it('repeats the settings of the request', async () => {
      const settings = {
        instructions: 'Be brief.',
        max_output_tokens: 99,
        metadata: { a: 'b' },
        parallel_tool_calls: false,
        reasoning: { effort: 'low' },
        temperature: 0.5,
        text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
        tool_choice: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [{ type: 'function', name: weather.name }],
        },
        tools: [weather, { type: 'function', name: 'bare' }],
        top_p: 0.5,
      };
      const { body } = await respond(dialect, settings);
      expect(findResponseIssues(body)).toEqual([]);
      expect(body).toMatchObject(settings);
    });

    it.each([
      ['of the request', { previous_response_id: 'resp_1' }, 400, 'previous_response_id'],
      ['of an item', { input: ['Hi', { type: 'item_reference', id: 'msg_1' }] }, 400, 'input[1]'],
      ['without a place', { model: '@preset/none' }, 404, null],
    ])('errors %s follow the specification', async (_, more, status, param) => {
      for (const isStream of [false, true]) {
        const response = await respond(dialect, { ...more, stream: isStream });
        expect([response.status, response.body.error.param]).toEqual([status, param]);
        expect(findErrorIssues(response.body)).toEqual([]);
      }
    });

    it('an error of the upstream without a format of its own follows the specification', async () => {
      upstreams[dialect].respondWith(json({ detail: 'odd' }, 422));
      const response = await respond(dialect, {});
      expect([response.status, findErrorIssues(response.body)]).toEqual([422, []]);
    });

    it('a stream that breaks off ends as the specification says', async () => {
      const { stream: bytes } = answers[dialect].text;
      upstreams[dialect].respondWith(cut(bytes.subarray(0, bytes.length / 2)));
      const events = parseResponseStream((await respond(dialect, { stream: true })).text);
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
      expect(findStreamIssues(events)).toEqual([]);
    });

    it('reports an error of the upstream with its status', async () => {
      upstreams[dialect].respondWith(json({ error: { message: 'too hot' } }, 400));
      const response = await respond(dialect, {});
      expect([response.status, response.body.error.message]).toEqual([400, 'too hot']);
    });
  });
});

function typesOf({ output }: { readonly output: readonly { readonly type: string }[] }): readonly string[] {
  return output.map(({ type }) => type);
}

function deltasOf(events: readonly ResponseEvent[], type: string): string {
  return events.map((event) => (event.type === type ? event.delta : '')).join('');
}
