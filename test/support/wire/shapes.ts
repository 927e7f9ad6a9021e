import type Anthropic from '@anthropic-ai/sdk';
import { Ajv } from 'ajv';
import type OpenAI from 'openai';
import type { JsonObject } from '../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../src/core/presets/preset.ts';
import { Type } from '../../../src/core/type.ts';

/**
 * What the APIs really send, key by key: which keys they always have, which may be missing, and
 * which may be null. Types of the SDKs say less: they require keys that are often missing, and
 * allow null where no response has it. Clients that check what they receive are built from
 * recorded responses, and reject anything else.
 *
 * The shapes have what recorded responses of Anthropic, OpenAI and OpenRouter from 2025 and 2026
 * have, as far as it can be translated; no other key is allowed. A key that no SDK knows does not
 * compile, except for OpenRouter's.
 */

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const optional = Type.Optional;
const is = Type.Literal;
const oneOf = (...values: readonly string[]) => Type.Unsafe({ type: 'string', enum: [...values] });
/** Has these keys and no others. */
const only = (fields: Readonly<Record<string, Type.TSchema>>) =>
  Type.Object(fields, { additionalProperties: false });
type KeysOf<T> = Readonly<Partial<Record<keyof T, Type.TSchema>>>;

interface Shapes {
  /** Of the body of a whole response. */
  readonly whole: Type.TSchema;
  /** Of an event of a stream. */
  readonly event: Type.TSchema;
}

/** Of presetd and of OpenRouter. */
const presetd = { presetd: optional(Type.Object({})) };
const cost = { cost: optional(Type.Number()) };

function messagesShapes(): Shapes {
  const citation = only({
    type: is('web_search_result_location'),
    url: text,
    title: nullable(text),
    cited_text: text,
    encrypted_index: text,
  } satisfies KeysOf<Anthropic.CitationsWebSearchResultLocation>);
  const block = Type.Union([
    only({
      type: is('text'),
      text,
      citations: optional(Type.Array(citation)),
    } satisfies KeysOf<Anthropic.TextBlock>),
    only({
      type: is('tool_use'),
      id: text,
      name: text,
      input: Type.Object({}),
      caller: optional(only({ type: is('direct') })),
    } satisfies KeysOf<Anthropic.ToolUseBlock>),
    only({
      type: is('thinking'),
      thinking: text,
      signature: text,
    } satisfies KeysOf<Anthropic.ThinkingBlock>),
    only({ type: is('redacted_thinking'), data: text } satisfies KeysOf<Anthropic.RedactedThinkingBlock>),
  ]);
  const counts = {
    input_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    output_tokens: count,
    output_tokens_details: optional(only({ thinking_tokens: count })),
  } satisfies KeysOf<Anthropic.MessageDeltaUsage>;
  const tier = oneOf('standard', 'priority', 'batch');
  const usage = only({
    ...counts,
    ...cost,
    ...({
      cache_creation: optional(only({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })),
      service_tier: optional(tier),
      inference_geo: optional(text),
    } satisfies KeysOf<Anthropic.Usage>),
  });
  const message = {
    id: text,
    type: is('message'),
    role: is('assistant'),
    model: text,
    content: Type.Array(block),
    stop_reason: nullable(text),
    stop_sequence: nullable(text),
    stop_details: optional(Type.Null()),
    usage,
  } satisfies KeysOf<Anthropic.Message>;
  const delta = Type.Union([
    only({ type: is('text_delta'), text }),
    only({ type: is('input_json_delta'), partial_json: text }),
    only({ type: is('thinking_delta'), thinking: text }),
    only({ type: is('signature_delta'), signature: text }),
    only({ type: is('citations_delta'), citation }),
  ]);
  const index = count;

  const event = Type.Union([
    only({ type: is('message_start'), message: only(message) }),
    only({ type: is('content_block_start'), index, content_block: block }),
    only({ type: is('content_block_delta'), index, delta }),
    only({ type: is('content_block_stop'), index }),
    only({
      type: is('message_delta'),
      delta: only({
        stop_reason: text,
        stop_sequence: nullable(text),
        stop_details: optional(Type.Null()),
      } satisfies KeysOf<Anthropic.RawMessageDeltaEvent.Delta>),
      // Other dialects say only now which tier it was.
      usage: only({
        ...counts,
        input_tokens: optional(count),
        cache_creation_input_tokens: optional(count),
        cache_read_input_tokens: optional(count),
        service_tier: optional(tier),
        ...cost,
      }),
      ...presetd,
    }),
    only({ type: is('message_stop') }),
    only({ type: is('ping') }),
  ]);
  return { whole: only({ ...message, ...presetd }), event };
}

function chatShapes(): Shapes {
  const called = (name: object, input: string) =>
    Type.Object({ ...name, [input]: text }, { additionalProperties: false });
  const calls = (name: object, more: Readonly<Record<string, Type.TSchema>>) =>
    Type.Array(
      Type.Union([
        only({ ...more, function: called(name, 'arguments') }),
        only({ ...more, custom: called(name, 'input') }),
      ]),
      { minItems: 1 },
    );
  const annotations = Type.Array(
    only({
      type: is('url_citation'),
      url_citation: only({
        url: text,
        title: text,
        start_index: count,
        end_index: count,
        content: optional(text),
      }),
    }),
  );
  /** OpenRouter's, of which only some have text. */
  const reasoning = {
    reasoning: optional(nullable(text)),
    reasoning_details: optional(Type.Array(Type.Object({ type: text }))),
  };
  const logprobs = nullable(
    only({
      content: nullable(Type.Array(Type.Object({}))),
      refusal: nullable(Type.Array(Type.Object({}))),
    } satisfies KeysOf<OpenAI.ChatCompletion.Choice.Logprobs>),
  );
  const usage = only({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: optional(
      Type.Object({ cached_tokens: optional(count), cache_write_tokens: optional(count) }),
    ),
    completion_tokens_details: optional(Type.Object({ reasoning_tokens: optional(count) })),
    ...cost,
    is_byok: optional(Type.Boolean()),
    cost_details: optional(Type.Object({})),
  });
  const completion = {
    id: text,
    created: count,
    model: text,
    service_tier: optional(text),
    system_fingerprint: optional(nullable(text)),
  } satisfies KeysOf<OpenAI.ChatCompletion>;
  const openRouter = { provider: optional(text) };
  /** Random text of OpenAI's, so that the length of a chunk tells nothing. */
  const padding = { obfuscation: optional(text) };
  const finish = {
    finish_reason: oneOf('stop', 'length', 'tool_calls', 'content_filter'),
    native_finish_reason: optional(text),
  };
  const message = {
    role: is('assistant'),
    content: nullable(text),
    refusal: nullable(text),
    annotations: optional(annotations),
    tool_calls: optional(calls({ name: text }, { id: text, type: text, index: optional(count) })),
  } satisfies KeysOf<OpenAI.ChatCompletionMessage>;
  const delta = {
    role: optional(is('assistant')),
    content: optional(nullable(text)),
    refusal: optional(nullable(text)),
    tool_calls: optional(
      calls({ name: optional(text) }, { index: count, id: optional(text), type: optional(text) }),
    ),
  } satisfies KeysOf<OpenAI.ChatCompletionChunk.Choice.Delta>;

  const whole = only({
    ...completion,
    object: is('chat.completion'),
    choices: Type.Array(
      only({ index: count, message: only({ ...message, ...reasoning }), logprobs, ...finish }),
      { minItems: 1 },
    ),
    usage: optional(usage),
    ...openRouter,
    ...presetd,
  });
  const event = only({
    ...completion,
    object: is('chat.completion.chunk'),
    choices: Type.Array(
      only({
        index: count,
        delta: only({ ...delta, ...reasoning, annotations: optional(annotations) }),
        logprobs,
        finish_reason: nullable(finish.finish_reason),
        native_finish_reason: optional(nullable(text)),
      }),
    ),
    usage: optional(nullable(usage)),
    ...padding,
    ...openRouter,
    ...presetd,
  });
  return { whole, event };
}

function responsesShapes(): Shapes {
  const annotation = only({
    type: is('url_citation'),
    url: text,
    title: text,
    start_index: count,
    end_index: count,
    // OpenRouter's.
    content: optional(text),
  });
  const logprobs = Type.Array(Type.Object({}));
  const part = Type.Union([
    only({
      type: is('output_text'),
      text,
      annotations: Type.Array(annotation),
      logprobs,
    } satisfies KeysOf<OpenAI.Responses.ResponseOutputText>),
    only({
      type: is('refusal'),
      refusal: text,
    } satisfies KeysOf<OpenAI.Responses.ResponseOutputRefusal>),
  ]);
  const summary = only({ type: is('summary_text'), text });
  const status = oneOf('in_progress', 'completed', 'incomplete');
  const call = { id: text, status, call_id: text, name: text, namespace: optional(text) };
  const item = Type.Union([
    only({
      id: text,
      type: is('message'),
      status,
      role: is('assistant'),
      content: Type.Array(part),
    } satisfies KeysOf<OpenAI.Responses.ResponseOutputMessage>),
    only({
      ...call,
      type: is('function_call'),
      arguments: text,
    } satisfies KeysOf<OpenAI.Responses.ResponseFunctionToolCallItem>),
    only({
      ...call,
      type: is('custom_tool_call'),
      input: text,
    } satisfies KeysOf<OpenAI.Responses.ResponseCustomToolCallItem>),
    only({
      id: text,
      type: is('reasoning'),
      summary: Type.Array(summary),
      encrypted_content: optional(text),
    } satisfies KeysOf<OpenAI.Responses.ResponseReasoningItem>),
  ]);
  const usage = only({
    input_tokens: count,
    input_tokens_details: only({ cached_tokens: count, cache_write_tokens: optional(count) }),
    output_tokens: count,
    output_tokens_details: only({ reasoning_tokens: count }),
    total_tokens: count,
    ...cost,
  });
  const response = only({
    ...({
      id: text,
      object: is('response'),
      created_at: count,
      status,
      error: Type.Null(),
      incomplete_details: nullable(only({ reason: text })),
      instructions: nullable(text),
      metadata: Type.Object({}),
      model: text,
      output: Type.Array(item),
      parallel_tool_calls: Type.Boolean(),
      temperature: Type.Number(),
      tool_choice: Type.Unknown(),
      tools: Type.Array(Type.Object({ type: text })),
      top_p: Type.Number(),
      text: Type.Object({ format: Type.Object({ type: text }) }),
      max_output_tokens: nullable(count),
      access_programs: optional(Type.Null()),
      background: optional(Type.Boolean()),
      completed_at: optional(nullable(count)),
      max_tool_calls: optional(nullable(count)),
      previous_response_id: optional(nullable(text)),
      prompt_cache_key: optional(nullable(text)),
      reasoning: optional(only({ effort: nullable(text), summary: nullable(text) })),
      safety_identifier: optional(nullable(text)),
      service_tier: optional(text),
      top_logprobs: optional(count),
      truncation: optional(oneOf('auto', 'disabled')),
      usage: nullable(usage),
      user: optional(nullable(text)),
    } satisfies KeysOf<OpenAI.Responses.Response>),
    // Echoed by the API, but not in the types.
    store: optional(Type.Boolean()),
    frequency_penalty: optional(Type.Number()),
    presence_penalty: optional(Type.Number()),
    ...presetd,
  });
  const ofItem = { output_index: count, item_id: text };
  const ofPart = { ...ofItem, content_index: count };
  const ofSummary = { ...ofItem, summary_index: count };
  const typed = (type: string, fields: Readonly<Record<string, Type.TSchema>>) =>
    only({ type: is(type), sequence_number: count, ...fields });

  const event = Type.Union([
    ...['created', 'in_progress', 'completed', 'incomplete'].map((name) =>
      typed(`response.${name}`, { response }),
    ),
    ...['added', 'done'].map((name) => typed(`response.output_item.${name}`, { output_index: count, item })),
    ...['added', 'done'].map((name) => typed(`response.content_part.${name}`, { ...ofPart, part })),
    typed('response.output_text.delta', { ...ofPart, delta: text, logprobs }),
    typed('response.output_text.done', { ...ofPart, text, logprobs }),
    typed('response.output_text.annotation.added', { ...ofPart, annotation_index: count, annotation }),
    typed('response.refusal.delta', { ...ofPart, delta: text }),
    typed('response.refusal.done', { ...ofPart, refusal: text }),
    typed('response.function_call_arguments.delta', { ...ofItem, delta: text }),
    typed('response.function_call_arguments.done', { ...ofItem, arguments: text, name: optional(text) }),
    typed('response.custom_tool_call_input.delta', { ...ofItem, delta: text }),
    typed('response.custom_tool_call_input.done', { ...ofItem, input: text }),
    ...['added', 'done'].map((name) =>
      typed(`response.reasoning_summary_part.${name}`, { ...ofSummary, part: summary }),
    ),
    typed('response.reasoning_summary_text.delta', { ...ofSummary, delta: text }),
    typed('response.reasoning_summary_text.done', { ...ofSummary, text }),
  ]);
  return { whole: response, event };
}

const shapes: Readonly<Record<Dialect, Shapes>> = {
  'chat-completions': chatShapes(),
  messages: messagesShapes(),
  responses: responsesShapes(),
};

const ajv = new Ajv({ strict: false });
const checks = Object.fromEntries(
  Object.entries(shapes).map(([dialect, { whole, event }]) => [
    dialect,
    { whole: ajv.compile(whole), event: ajv.compile(event) },
  ]),
);

/** How a body, or an event, differs from what the API of a dialect sends; empty if it does not. */
export function findShapeIssues(dialect: Dialect, form: keyof Shapes, value: JsonObject): readonly string[] {
  const check = checks[dialect]?.[form];
  if (check === undefined || check(value)) return [];
  return [`${ajv.errorsText(check.errors)}: ${JSON.stringify(value)}`];
}
