import { isJsonObject, type JsonObject } from '../../../src/dialects/json-object.ts';
import { findUsage, maxUsage, type Usage } from '../../../src/dialects/usage.ts';

/** What a model has said so far, whatever the dialect. */
export interface Answer {
  readonly text: string;
  /** What it thought before, where it lets that be seen. */
  readonly thoughts: string;
  readonly toolCalls: readonly ToolCall[];
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** What went wrong in the middle of it. */
  readonly error?: string;
  readonly isComplete: boolean;
}

export interface ToolCall {
  /** Where in the answer it stands; later pieces name it by this. */
  readonly index: number;
  readonly name: string;
  /** JSON, as soon as it is whole. */
  readonly argumentText: string;
}

export const emptyAnswer: Answer = { text: '', thoughts: '', toolCalls: [], isComplete: false };

/** The answer after one more event of its stream. What is not understood changes nothing. */
export function withEvent(answer: Answer, data: string): Answer {
  if (data === '[DONE]') return { ...answer, isComplete: true };
  const event = parseObject(data);
  if (event === undefined) return answer;
  const usage = maxUsage(answer.usage, findUsage(event));
  const known = usage === undefined ? answer : { ...answer, usage };
  if (isJsonObject(event.error)) return failed(known, event.error.message);
  if (Array.isArray(event.choices)) return withChunk(known, event);
  const next =
    typeof event.type === 'string' && Object.hasOwn(typed, event.type) ? typed[event.type] : undefined;
  return next === undefined ? known : next(known, event);
}

function parseObject(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Chat completions. */
function withChunk(answer: Answer, { choices, model }: JsonObject): Answer {
  const named = withModel(answer, model);
  const all = Array.isArray(choices) ? choices.filter(isJsonObject) : [];
  // A preset may ask for several answers at once; their pieces come in turns, and one of them is shown.
  const choice = all.find(({ index }) => (index ?? 0) === 0);
  if (choice === undefined) return named;
  const delta = isJsonObject(choice.delta) ? choice.delta : {};
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isJsonObject) : [];
  const spoken = {
    ...named,
    text: named.text + textOf(delta.content) + textOf(delta.refusal),
    thoughts: named.thoughts + textOf(delta.reasoning ?? delta.reasoning_content),
  };
  const called = calls.reduce<Answer>((all, call) => {
    const definition = isJsonObject(call.function) ? call.function : {};
    return withToolCall(all, call.index, textOf(definition.name), textOf(definition.arguments));
  }, spoken);
  return withFinish(called, choice.finish_reason);
}

type Next = (answer: Answer, event: JsonObject) => Answer;

/** What the events of messages and of responses do, by their types. */
const typed: Readonly<Record<string, Next>> = {
  message_start: (answer, { message }) =>
    withModel(answer, isJsonObject(message) ? message.model : undefined),
  content_block_start: (answer, { index, content_block: block }) =>
    isJsonObject(block) && textOf(block.type).endsWith('tool_use')
      ? withToolCall(answer, index, textOf(block.name), '')
      : answer,
  content_block_delta: (answer, { index, delta }) => {
    if (!isJsonObject(delta)) return answer;
    if (delta.type === 'input_json_delta') return withToolCall(answer, index, '', textOf(delta.partial_json));
    return {
      ...answer,
      text: answer.text + textOf(delta.text),
      thoughts: answer.thoughts + textOf(delta.thinking),
    };
  },
  message_delta: (answer, { delta }) =>
    withFinish(answer, isJsonObject(delta) ? delta.stop_reason : undefined),
  message_stop: (answer) => ({ ...answer, isComplete: true }),

  'response.created': (answer, { response }) =>
    withModel(answer, isJsonObject(response) ? response.model : undefined),
  'response.output_text.delta': (answer, { delta }) => ({ ...answer, text: answer.text + textOf(delta) }),
  'response.refusal.delta': (answer, { delta }) => ({ ...answer, text: answer.text + textOf(delta) }),
  'response.reasoning_summary_text.delta': withThought,
  'response.reasoning_text.delta': withThought,
  'response.output_item.added': (answer, { output_index, item }) =>
    isJsonObject(item) && textOf(item.type).endsWith('_call') && item.name !== undefined
      ? withToolCall(answer, output_index, textOf(item.name), '')
      : answer,
  'response.function_call_arguments.delta': (answer, { output_index, delta }) =>
    withToolCall(answer, output_index, '', textOf(delta)),
  'response.completed': withResponse,
  'response.incomplete': withResponse,
  'response.failed': withResponse,
  error: (answer, { message }) => failed(answer, message),
};

function withThought(answer: Answer, { delta }: JsonObject): Answer {
  return { ...answer, thoughts: answer.thoughts + textOf(delta) };
}

function withResponse(answer: Answer, { response }: JsonObject): Answer {
  if (!isJsonObject(response)) return answer;
  if (isJsonObject(response.error)) return failed(answer, response.error.message);
  const { incomplete_details: details } = response;
  const reason = isJsonObject(details) ? details.reason : response.status;
  return { ...withFinish(answer, reason), isComplete: true };
}

function withToolCall(answer: Answer, index: unknown, name: string, argumentText: string): Answer {
  const at = typeof index === 'number' ? index : 0;
  const known = answer.toolCalls.find((call) => call.index === at);
  const call = {
    index: at,
    name: (known?.name ?? '') + name,
    argumentText: (known?.argumentText ?? '') + argumentText,
  };
  const others = answer.toolCalls.filter((other) => other !== known);
  return { ...answer, toolCalls: [...others, call].sort((one, other) => one.index - other.index) };
}

function withModel(answer: Answer, model: unknown): Answer {
  return typeof model === 'string' && model !== '' ? { ...answer, model } : answer;
}

function withFinish(answer: Answer, reason: unknown): Answer {
  return typeof reason === 'string' ? { ...answer, finishReason: reason } : answer;
}

function failed(answer: Answer, message: unknown): Answer {
  const error = typeof message === 'string' ? message : 'The upstream told of an error without saying which.';
  return { ...answer, error, isComplete: true };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
