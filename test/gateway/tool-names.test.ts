import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json-object.ts';
import { asObject, asObjects } from '../../src/core/json/loose-json.ts';
import { type Dialect, dialects } from '../../src/core/presets/preset.ts';
import { foldStream } from '../support/fold-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import { findRejections } from '../support/provider-rules.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { playToolLoop } from '../support/tool-loop.ts';
import { pathOf } from '../support/wire/recordings.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((client) =>
  dialects.filter((upstream) => upstream !== client).map((upstream) => [client, upstream] as const),
);
const schema = { type: 'object', properties: {} };
/** Too long for every provider, and the same at the start. */
const names = ['a', 'b'].map((end) => `mcp__${'weather_station_'.repeat(8)}_${end}`);

const declare: Readonly<Record<Dialect, (name: string) => JsonObject>> = {
  [chat]: (name) => ({ type: 'function', function: { name, parameters: schema } }),
  messages: (name) => ({ name, input_schema: schema }),
  responses: (name) => ({ type: 'function', name, parameters: schema, strict: false }),
};

interface Call {
  readonly id: string;
  readonly name: string;
}

/** The calls in a response, and the messages with which a client continues after them. */
const callsIn: Readonly<Record<Dialect, (response: JsonObject) => readonly Call[]>> = {
  [chat]: ({ choices }) =>
    asObjects(asObject(asObjects(choices)[0]?.message).tool_calls).map((call) => ({
      id: `${call.id}`,
      name: `${asObject(call.function).name}`,
    })),
  messages: ({ content }) =>
    asObjects(content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name }) => ({ id: `${id}`, name: `${name}` })),
  responses: ({ output }) =>
    asObjects(output)
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id, name }) => ({ id: `${id}`, name: `${name}` })),
};

const question = { role: 'user', content: 'Weather?' };
const goOn: Readonly<Record<Dialect, (response: JsonObject, calls: readonly Call[]) => JsonObject>> = {
  [chat]: ({ choices }, calls) => ({
    messages: [
      question,
      asObject(asObjects(choices)[0]?.message),
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'sun' })),
    ],
  }),
  messages: ({ content }, calls) => ({
    messages: [
      question,
      { role: 'assistant', content },
      {
        role: 'user',
        content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'sun' })),
      },
    ],
  }),
  responses: ({ output }, calls) => ({
    input: [
      question,
      ...asObjects(output),
      ...calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: 'sun' })),
    ],
  }),
};

describe('tools with names that the provider does not accept', () => {
  let upstreams: Readonly<Record<Dialect, ScriptedUpstream>>;
  let server: GatewayServer;
  beforeAll(async () => {
    const started = await startUpstreams(3);
    upstreams = Object.fromEntries(dialects.map((dialect, at) => [dialect, started[at]])) as typeof upstreams;
    server = await startWithFile({
      upstreams: dialects.map((dialect) =>
        compatible(dialect, upstreams[dialect], { dialects: [dialect], models: [`${dialect}/*`] }),
      ),
    });
  });
  beforeEach(() => {
    for (const dialect of dialects) {
      upstreams[dialect].clear();
      // The model calls all tools by the names it got.
      upstreams[dialect].respondAlways((exchange) =>
        playToolLoop({
          calls: sentNames(exchange.request.body).map((name) => ({ name, input: {}, result: 'sun' })),
          text: 'Sun.',
        })(exchange),
      );
    }
  });
  afterAll(async () => {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
    await server.stop();
  });

  const post = async (client: Dialect, body: JsonObject): Promise<JsonObject> => {
    const { status, text } = await server.post(`/api/v1${pathOf[client]}`, {
      ...(client === 'messages' && { max_tokens: 99 }),
      ...body,
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
    return body.stream === true ? foldStream(client, text) : JSON.parse(text);
  };

  it.each(
    pairs.flatMap(([client, upstream]) => [false, true].map((stream) => [client, upstream, stream] as const)),
  )(
    'tools with long names are called by %s clients and a model of %s, streamed: %s',
    async (client, upstream, stream) => {
      const request = { model: `${upstream}/m`, tools: names.map(declare[client]), stream };
      const first = client === 'responses' ? { input: [question] } : { messages: [question] };
      const response = await post(client, { ...request, ...first });
      const calls = callsIn[client](response);
      expect(calls.map(({ name }) => name)).toEqual(names);
      const answer = await post(client, { ...request, ...goOn[client](response, calls) });
      expect(JSON.stringify(answer)).toContain('Sun.');
      const [one, two] = upstreams[upstream].requests.map(({ body }) => body);
      expect(findRejections(two, upstream)).toEqual([]);
      expect(two.tools).toEqual(one.tools);
    },
  );

  it.each([false, true])('a tool in a namespace is called by its own name, streamed: %s', async (stream) => {
    const [name = ''] = names;
    const tools = [{ type: 'namespace', name: 'station', description: '', tools: [declare.responses(name)] }];
    const response = await post('responses', { model: 'messages/m', tools, input: 'Hi', stream });
    expect(response.output).toContainEqual(
      expect.objectContaining({ type: 'function_call', namespace: 'station', name }),
    );
  });

  it.each([false, true])('a custom tool is called with its text, streamed: %s', async (stream) => {
    const [name = ''] = names;
    const tools = [{ type: 'custom', name }];
    const response = await post('responses', { model: 'messages/m', tools, input: 'Hi', stream });
    expect(response.output).toContainEqual(
      expect.objectContaining({ type: 'custom_tool_call', name, input: '' }),
    );
  });

  it.each([false, true])(
    'a tool of the preset is called by its name in the preset, streamed: %s',
    async (stream) => {
      const preset = { model: `${chat}/m`, max_tokens: 9, tools: names.map(declare.messages), messages: [] };
      await server.capture('stations', preset, 'messages');
      const response = await post('messages', { model: '@preset/stations', messages: [question], stream });
      expect(callsIn.messages(response).map(({ name }) => name)).toEqual(names);
    },
  );
});

function sentNames({ tools }: JsonObject): readonly string[] {
  return asObjects(tools).map((tool) => `${asObject(tool.function).name ?? tool.name}`);
}
