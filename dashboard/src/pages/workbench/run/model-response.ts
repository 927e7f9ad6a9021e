/**
 * Assembles a model's response from the events of its stream, in any of the three dialects.
 *
 * `applyEvent` is a pure reducer: each event yields the next state. The reader passes every event
 * it receives, so the dialect needs no configuration: Chat Completions chunks have `choices`, the
 * events of the others have a `type`. Unknown events and malformed JSON are ignored, since
 * upstreams add event types without notice.
 */

import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import type { TokenUsage } from '../../../../../src/dialects/model/completion.ts';
import { mergeUsage } from '../../../../../src/dialects/model/token-usage.ts';
import { findUsage, parseUsage } from '../../../../../src/dialects/response-usage.ts';

/** The response so far. */
export interface ModelResponse {
  readonly text: string;
  /** Reasoning or thinking, if the model exposes it. */
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: TokenUsage;
  /** The usage as the upstream wrote it. */
  readonly reportedUsage?: JsonObject;
  /** An error that the upstream reported inside the stream. */
  readonly error?: string;
  readonly isComplete: boolean;
}

interface ToolCall {
  /** Position in the response. Later deltas refer to the call by it. */
  readonly index: number;
  readonly name: string;
  /** Becomes valid JSON once the last delta has arrived. */
  readonly argumentText: string;
}

/** The state before the first event. */
export const emptyResponse: ModelResponse = { text: '', reasoning: '', toolCalls: [], isComplete: false };

/** The response after one more event. Returns it unchanged if the event is not understood. */
export function applyEvent(response: ModelResponse, data: string): ModelResponse {
  if (data === '[DONE]') return { ...response, isComplete: true };
  const event = parseObject(data);
  if (event === undefined) return response;
  const known = withUsage(response, event);
  if (isJsonObject(event.error)) return failed(known, event.error.message);
  if (Array.isArray(event.choices)) return applyChunk(known, event);
  const next =
    typeof event.type === 'string' && Object.hasOwn(eventHandlers, event.type)
      ? eventHandlers[event.type]
      : undefined;
  return next === undefined ? known : next(known, event);
}

/** Not every event has all counts. */
function withUsage(response: ModelResponse, event: JsonObject): ModelResponse {
  const reported = findUsage(event);
  const reportedUsage = reported && mergeUsage(response.reportedUsage, reported);
  const usage = parseUsage(reportedUsage, dialectOf(event));
  return reportedUsage === undefined || usage === undefined
    ? response
    : { ...response, reportedUsage, usage };
}

function dialectOf({ choices, type }: JsonObject): Dialect {
  if (Array.isArray(choices)) return 'chat-completions';
  return textOf(type).startsWith('response.') ? 'responses' : 'messages';
}

function parseObject(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Applies a chunk of Chat Completions. */
function applyChunk(response: ModelResponse, { choices, model }: JsonObject): ModelResponse {
  const named = withModel(response, model);
  const all = Array.isArray(choices) ? choices.filter(isJsonObject) : [];
  // With `n` > 1 the chunks of all choices are interleaved; only the first choice is shown.
  const choice = all.find(({ index }) => (index ?? 0) === 0);
  if (choice === undefined) return named;
  const delta = isJsonObject(choice.delta) ? choice.delta : {};
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isJsonObject) : [];
  const withText = {
    ...named,
    text: named.text + textOf(delta.content) + textOf(delta.refusal),
    reasoning: named.reasoning + textOf(delta.reasoning ?? delta.reasoning_content),
  };
  const called = calls.reduce<ModelResponse>((all, call) => {
    const definition = isJsonObject(call.function) ? call.function : {};
    return appendToolCall(all, call.index, textOf(definition.name), textOf(definition.arguments));
  }, withText);
  return withFinishReason(called, choice.finish_reason);
}

type EventHandler = (response: ModelResponse, event: JsonObject) => ModelResponse;

/** Handlers for Anthropic Messages and OpenAI Responses events, by `type`. */
const eventHandlers: Readonly<Record<string, EventHandler>> = {
  message_start: (response, { message }) =>
    withModel(response, isJsonObject(message) ? message.model : undefined),
  content_block_start: (response, { index, content_block: block }) =>
    isJsonObject(block) && textOf(block.type).endsWith('tool_use')
      ? appendToolCall(response, index, textOf(block.name), '')
      : response,
  content_block_delta: (response, { index, delta }) => {
    if (!isJsonObject(delta)) return response;
    if (delta.type === 'input_json_delta')
      return appendToolCall(response, index, '', textOf(delta.partial_json));
    return {
      ...response,
      text: response.text + textOf(delta.text),
      reasoning: response.reasoning + textOf(delta.thinking),
    };
  },
  message_delta: (response, { delta }) =>
    withFinishReason(response, isJsonObject(delta) ? delta.stop_reason : undefined),
  message_stop: (response) => ({ ...response, isComplete: true }),

  'response.created': (response, { response: result }) =>
    withModel(response, isJsonObject(result) ? result.model : undefined),
  'response.output_text.delta': (response, { delta }) => ({
    ...response,
    text: response.text + textOf(delta),
  }),
  'response.refusal.delta': (response, { delta }) => ({ ...response, text: response.text + textOf(delta) }),
  'response.reasoning_summary_text.delta': appendReasoning,
  'response.reasoning_text.delta': appendReasoning,
  'response.output_item.added': (response, { output_index, item }) =>
    isJsonObject(item) && textOf(item.type).endsWith('_call') && item.name !== undefined
      ? appendToolCall(response, output_index, textOf(item.name), '')
      : response,
  'response.function_call_arguments.delta': (response, { output_index, delta }) =>
    appendToolCall(response, output_index, '', textOf(delta)),
  'response.completed': finishResponse,
  'response.incomplete': finishResponse,
  'response.failed': finishResponse,
  error: (response, { message }) => failed(response, message),
};

function appendReasoning(response: ModelResponse, { delta }: JsonObject): ModelResponse {
  return { ...response, reasoning: response.reasoning + textOf(delta) };
}

/** The last event of the Responses API carries the whole response; only its outcome is used. */
function finishResponse(response: ModelResponse, { response: result }: JsonObject): ModelResponse {
  if (!isJsonObject(result)) return response;
  if (isJsonObject(result.error)) return failed(response, result.error.message);
  const { incomplete_details: details } = result;
  const reason = isJsonObject(details) ? details.reason : result.status;
  return { ...withFinishReason(response, reason), isComplete: true };
}

/**
 * Name and arguments arrive in deltas. Calls stay sorted by index, since deltas of several can
 * interleave.
 */
function appendToolCall(
  response: ModelResponse,
  index: unknown,
  name: string,
  argumentText: string,
): ModelResponse {
  const at = typeof index === 'number' ? index : 0;
  const known = response.toolCalls.find((call) => call.index === at);
  const call = {
    index: at,
    name: (known?.name ?? '') + name,
    argumentText: (known?.argumentText ?? '') + argumentText,
  };
  const others = response.toolCalls.filter((other) => other !== known);
  return { ...response, toolCalls: [...others, call].sort((one, other) => one.index - other.index) };
}

function withModel(response: ModelResponse, model: unknown): ModelResponse {
  return typeof model === 'string' && model !== '' ? { ...response, model } : response;
}

function withFinishReason(response: ModelResponse, reason: unknown): ModelResponse {
  return typeof reason === 'string' ? { ...response, finishReason: reason } : response;
}

/** Also completes the response: nothing follows an error. */
function failed(response: ModelResponse, message: unknown): ModelResponse {
  const error = typeof message === 'string' ? message : 'The upstream reported an error without a message.';
  return { ...response, error, isComplete: true };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
