import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/core/json/json-object.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import {
  chatCall,
  chatStream,
  messagesStream,
  responsesCall,
  responsesReasoning,
  responsesStream,
  responsesText,
} from './dialect-streams.ts';
import { foldStream } from './fold-stream.ts';
import { body, dialectOf, json, type Script, stream } from './upstream-scripts.ts';

/** A call that the model makes, and a text that its result has to contain. */
export interface ExpectedCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly result: string;
}

export interface ToolLoop {
  /** Made at once. */
  readonly calls: readonly ExpectedCall[];
  /** The model's reply once it has all results. */
  readonly text: string;
}

/**
 * Plays a model that reasons, calls tools at once and answers when it has their results. It is as
 * strict as the vendor: a conversation in which a call lacks its result, a result is out of place
 * or the reasoning has changed gets a 400 that says so, which ends the client's loop. The model
 * `lenient` accepts that reasoning is missing. A request without tools, such as one for the title
 * of a conversation, gets the text immediately.
 */
export function playToolLoop({ calls, text }: ToolLoop): Script {
  return async (exchange) => {
    const { body: request } = exchange.request;
    const dialect = dialectOf(exchange);
    const conversation = conversations[dialect](request);
    const problem = findProblem(conversation, calls, request.model === 'lenient');
    if (problem !== undefined) return json({ error: { message: problem } }, 400)(exchange);
    const isDone = conversation.results.length > 0 || conversation.tools.length === 0;
    const answer = isDone ? writeText[dialect](text) : writeCalls[dialect](calls);
    if (request.stream === true) return stream(answer)(exchange);
    const whole = await foldStream(dialect, answer);
    return body(200, 'application/json', JSON.stringify(whole))(exchange);
  };
}

/** The parts of a request that concern the tools of the loop. */
interface Conversation {
  readonly tools: readonly string[];
  /** The assistant's turn with the calls. Reasoning is in the form of the dialect. */
  readonly reasoning: readonly JsonObject[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: JsonObject }[];
  /** The results that follow it, in place. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
  /** The reasoning that the vendor requires back. */
  readonly requiredReasoning: readonly JsonObject[];
}

function findProblem(
  conversation: Conversation,
  expected: readonly ExpectedCall[],
  isLenient: boolean,
): string | undefined {
  const { tools, reasoning, calls, results, requiredReasoning } = conversation;
  if (tools.length === 0) return undefined;
  const missing = expected.filter(({ name }) => !tools.includes(name));
  if (missing.length > 0) return `no tool ${missing.map(({ name }) => name)} among ${tools}`;
  if (calls.length === 0 && results.length === 0) return undefined;
  const made = expected.map(({ name, input }, index) => ({ id: callId(index), name, input }));
  if (!isDeepStrictEqual(calls, made)) return `the calls have changed: ${JSON.stringify(calls)}`;
  const ids = results.map(({ id }) => id);
  const called = calls.map(({ id }) => id);
  if (!isDeepStrictEqual(ids, called)) return `the results in place are those of ${JSON.stringify(ids)}`;
  const wrong = results.findIndex(({ text }, index) => !text.includes(expected[index]?.result ?? ''));
  if (wrong !== -1) return `the result of ${ids[wrong]} is ${JSON.stringify(results[wrong]?.text)}`;
  const isLeftOut = reasoning.length === 0 && isLenient;
  if (!isLeftOut && !isDeepStrictEqual(reasoning, requiredReasoning))
    return `the reasoning has changed: ${JSON.stringify(reasoning)}`;
  return undefined;
}

const callId = (index: number) => `call_Zr${index}`;

const thinking = [
  { type: 'thinking', thinking: 'Two tools, Zürich 🙂', signature: 'EqQBCgIYAhIM+/=' },
  { type: 'redacted_thinking', data: 'EmwKAhgB+/=' },
] as const;
const encrypted = 'gAAAAABo+/=';

/** The answer with the calls, whose arguments arrive in pieces. */
const writeCalls: Readonly<Record<Dialect, (calls: readonly ExpectedCall[]) => string>> = {
  'chat-completions': (calls) =>
    chatStream(
      calls.flatMap(({ name, input }, index) => [
        {
          ...(index === 0 && { role: 'assistant', content: null }),
          tool_calls: [chatCall(index, callId(index), name)],
        },
        ...pieces(input).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      'tool_calls',
    ),
  messages: (calls) =>
    messagesStream(
      [
        [
          { ...thinking[0], thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: thinking[0].thinking },
          { type: 'signature_delta', signature: thinking[0].signature },
        ],
        [thinking[1]],
        ...calls.map(({ name, input }, index) => [
          { type: 'tool_use', id: callId(index), name, input: {} },
          ...pieces(input).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
        ]),
      ],
      { stop_reason: 'tool_use', stop_sequence: null },
    ),
  responses: (calls) =>
    responsesStream([
      responsesReasoning(['Two tools, Zürich 🙂'], encrypted),
      ...calls.map(({ name, input }, index) =>
        responsesCall(`fc_${index}`, callId(index), name, pieces(input)),
      ),
    ]),
};

function pieces(input: JsonObject): readonly string[] {
  const text = JSON.stringify(input);
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

const writeText: Readonly<Record<Dialect, (text: string) => string>> = {
  'chat-completions': (text) =>
    chatStream([{ role: 'assistant', content: '' }, ...[...text].map((content) => ({ content }))], 'stop'),
  messages: (text) =>
    messagesStream(
      [[{ type: 'text', text: '' }, ...[...text].map((piece) => ({ type: 'text_delta', text: piece }))]],
      { stop_reason: 'end_turn', stop_sequence: null },
    ),
  responses: (text) => responsesStream([responsesText([...text])]),
};

// biome-ignore lint/suspicious/noExplicitAny: requests of three dialects
const conversations: Readonly<Record<Dialect, (request: any) => Conversation>> = {
  'chat-completions': ({ tools = [], messages }) => {
    // biome-ignore lint/suspicious/noExplicitAny: any message
    const at = messages.findLastIndex((message: any) => message.tool_calls !== undefined);
    const after = messages.slice(at + 1);
    const end = after.findIndex(({ role }: JsonObject) => role !== 'tool');
    return {
      tools: tools.map((tool: JsonObject) => (tool.function as JsonObject)?.name),
      reasoning: [],
      requiredReasoning: [],
      // biome-ignore lint/suspicious/noExplicitAny: any tool call
      calls: (messages[at]?.tool_calls ?? []).map((call: any) => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
      })),
      results: (end === -1 ? after : after.slice(0, end)).map(({ tool_call_id, content }: JsonObject) => ({
        id: tool_call_id,
        text: textIn(content),
      })),
    };
  },
  messages: ({ tools = [], messages }) => {
    const has = (type: string) => (message: JsonObject) =>
      // biome-ignore lint/suspicious/noExplicitAny: any block
      Array.isArray(message.content) && message.content.some((block: any) => block.type === type);
    const at = messages.findLastIndex(has('tool_use'));
    const blocks = messages[at]?.content ?? [];
    const after = at === -1 ? [] : (messages[at + 1]?.content ?? []);
    const end = after.findIndex(({ type }: JsonObject) => type !== 'tool_result');
    return {
      tools: tools.map(({ name }: JsonObject) => name),
      reasoning: blocks.filter(({ type }: JsonObject) => `${type}`.endsWith('thinking')),
      requiredReasoning: thinking,
      calls: blocks
        .filter(({ type }: JsonObject) => type === 'tool_use')
        .map(({ id, name, input }: JsonObject) => ({ id, name, input })),
      results: (end === -1 ? after : after.slice(0, end)).map(({ tool_use_id, content }: JsonObject) => ({
        id: tool_use_id,
        text: textIn(content),
      })),
    };
  },
  responses: ({ tools = [], input }) => {
    const items: readonly JsonObject[] = Array.isArray(input) ? input : [];
    const ofType = (type: string) => items.filter((item) => item.type === type);
    const reasoning = ofType('reasoning');
    return {
      tools: tools.map(({ name }: JsonObject) => name),
      reasoning: reasoning.map(({ encrypted_content, summary }) => ({ encrypted_content, summary })),
      requiredReasoning: [
        {
          encrypted_content: encrypted,
          summary: [{ type: 'summary_text', text: 'Two tools, Zürich 🙂' }],
        },
      ],
      calls: ofType('function_call').map(({ call_id, name, arguments: text }) => ({
        id: `${call_id}`,
        name: `${name}`,
        input: JSON.parse(`${text}`),
      })),
      results: ofType('function_call_output').map(({ call_id, output }) => ({
        id: `${call_id}`,
        text: textIn(output),
      })),
    };
  },
};

/** A content is a text or a list of parts. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map(({ text }) => text ?? '').join('\n');
}
