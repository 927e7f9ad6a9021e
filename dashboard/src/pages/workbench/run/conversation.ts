/**
 * The conversation that runs send, and the call made from it.
 *
 * Messages have the form of chat completions, whatever the dialect of the draft: test cases are
 * shared by all versions of a preset, and those may change the dialect. A call is made in the
 * dialect of the version it tries, as an app would make it.
 */

import { bodyMebibytesDefault } from '../../../../../src/api/limits.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { presetMarker } from '../../../../../src/core/presets/preset-reference.ts';
import { isJsonObject, isSameJson, type JsonObject } from '../../../../../src/dialects/json-object.ts';
import { translateWithoutFitting } from '../../../../../src/dialects/translate/translate-request.ts';
import { maxTokensOf } from '../../preset/config-values.ts';
import type { ModelResponse } from './model-response.ts';
import type { CallRequest, Run } from './run.ts';

/** A message of the user, the assistant or a tool. */
export type Message = JsonObject;

/** What a column tries. */
export interface Column {
  readonly id: number;
  readonly source: Source;
  /** Replaces the model of the source; empty for none. */
  readonly model: string;
}

/** The draft on the page, the live version, or a fixed one. */
export type Source = 'draft' | 'live' | number;

/** The source that a choice in a select stands for. */
export function parseSource(value: string): Source {
  return value === 'draft' || value === 'live' ? value : Number(value);
}

export const columnsMax = 4;

/** What a run depends on. Its result is outdated once the same column would send something else. */
export interface CallInputs {
  readonly source: Source;
  readonly model: string;
  /** The number of a saved version. */
  readonly version: number | undefined;
  /** The text of the draft, if the column tries it. */
  readonly draft: string | undefined;
  /** The dialect of the version or draft. */
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
  /** Undefined if the version has none. */
  readonly variables: JsonObject | undefined;
}

/** A call, and what it was made from. */
export interface ColumnCall extends CallRequest {
  readonly inputs: CallInputs;
}

/** Whether two calls send the same, apart from the draft, which changes on every keystroke. */
export function isSameBesidesDraft(one: CallInputs, other: CallInputs): boolean {
  return (
    one.version === other.version &&
    one.model === other.model &&
    one.dialect === other.dialect &&
    isSameJson(one.messages, other.messages) &&
    isSameJson(one.variables, other.variables)
  );
}

interface CallOptions {
  readonly slug: string;
  readonly inputs: CallInputs;
  /** The config of the version, or the draft as a JSON value. */
  readonly config: JsonObject;
  readonly workspaceId: string | undefined;
  /** The dialect of the call; by default that of the version. */
  readonly format?: Dialect | undefined;
}

/** Messages require a limit; this is enough for a reply to read. */
const tokensMax = 1_024;

/** The call of a column. */
export function callOf({
  slug,
  inputs,
  config,
  workspaceId,
  format = inputs.dialect,
}: CallOptions): ColumnCall {
  const { source, model: other, version, dialect, messages, variables } = inputs;
  // Also for the live version: a release during a run must not change what the column tries.
  const model = `${other}${presetMarker}${slug}${version === undefined ? '' : `@${version}`}`;
  const extras = {
    ...(variables && { prompt: { variables } }),
    ...(source === 'draft' && { presetd: { draft: { dialect, request: config } } }),
    stream: true,
  };
  const asked = { model, ...(messages.length > 0 && { messages: [...messages] }) };
  // Without this, OpenAI and compatible servers omit token usage from streams.
  const chatBody = { ...asked, ...extras, stream_options: { include_usage: true } };
  const call = { inputs, dialect: format, chatBody, workspaceId };
  if (format === 'chat-completions') return { ...call, body: chatBody };
  const { body } =
    messages.length === 0 ? { body: asked } : translateWithoutFitting(asked, 'chat-completions', format);
  const isUnlimited = format === 'messages' && maxTokensOf(config) === undefined;
  return { ...call, body: { ...body, ...(isUnlimited && { max_tokens: tokensMax }), ...extras } };
}

/**
 * Whether a column cannot run without a message. Otherwise the preset alone is worth sending: its
 * few-shot messages, or a template. But a system prompt is not a message in the messages dialect.
 */
export function needsMessage(dialect: Dialect, hasVariables: boolean, presetd: unknown): boolean {
  const messages = isJsonObject(presetd) ? presetd.messages : undefined;
  const hasMessages = Array.isArray(messages) && messages.length > 0;
  return !hasMessages && (!hasVariables || dialect === 'messages');
}

/**
 * Whether a run answers the conversation. The draft, the variables and the texts of turns may have
 * changed since: the model should still see what it said.
 */
export function isAnswerTo(messages: readonly Message[], run: ColumnResult | undefined): run is ColumnResult {
  return run?.phase === 'done' && isComplete(messages) && run.inputs.messages.length === messages.length;
}

/** A run, as far as it matters to the conversation. */
type ColumnResult = Pick<Run, 'phase' | 'response'> & { readonly inputs: CallInputs };

export interface FollowUp {
  readonly messages: readonly Message[];
  /** Why the conversation cannot continue like this. */
  readonly problem?: string;
}

/** The conversation with a new message. The answer of a single column comes before it. */
export function followUp(
  messages: readonly Message[],
  runs: readonly (ColumnResult | undefined)[],
  message: Message,
): FollowUp {
  const answers = runs.filter((run) => isAnswerTo(messages, run));
  const [answer] = answers;
  const unanswered = { messages: [...messages, message] };
  if (answer === undefined) return unanswered;
  if (answers.every(({ response }) => response.toolCalls.length > 0))
    return { ...unanswered, problem: 'Send the tool results first' };
  if (runs.length > 1)
    return { ...unanswered, problem: 'Choose “Continue with this response” in a column first' };
  return { messages: [...messages, messageOf(answer.response, messages.length), message] };
}

/** Whether the conversation can be sent: the last word is the user's or a tool's. */
export function isComplete(messages: readonly Message[]): boolean {
  return messages.length > 0 && messages.at(-1)?.role !== 'assistant';
}

/**
 * The response as a message, to continue the conversation with. `turns` is the length of the
 * conversation so far: ids of tool calls must not repeat in it.
 */
export function messageOf({ text, toolCalls }: ModelResponse, turns: number): Message {
  if (toolCalls.length === 0) return { role: 'assistant', content: text };
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: toolCalls.map(({ index, name, argumentText }) => ({
      // Providers have ids of their own, which only have to match within the conversation.
      id: `call_${turns}_${index + 1}`,
      type: 'function',
      function: { name, arguments: argumentText === '' ? '{}' : argumentText },
    })),
  };
}

export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly argumentText: string;
}

/** The tool calls of a message that are still to be answered. */
export function toolCallsOf(message: Message | undefined): readonly PendingCall[] {
  const calls = Array.isArray(message?.tool_calls) ? message.tool_calls.filter(isJsonObject) : [];
  return calls.map(({ id, function: called }) => ({
    id: String(id),
    name: isJsonObject(called) ? String(called.name) : '',
    argumentText: isJsonObject(called) ? String(called.arguments) : '',
  }));
}

/** The result that a tool had earlier in the conversation; undefined if it was not called. */
export function cannedResult(messages: readonly Message[], name: string): string | undefined {
  const ids = new Set(
    messages.flatMap((message) =>
      toolCallsOf(message)
        .filter((call) => call.name === name)
        .map(({ id }) => id),
    ),
  );
  const result = messages.findLast(({ role, tool_call_id: id }) => role === 'tool' && ids.has(String(id)));
  return typeof result?.content === 'string' ? result.content : undefined;
}

/** The text of a message; parts that are not text are left out. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}

/** The message with another text; images and files stay. */
export function withText(message: Message, text: string): Message {
  if (!Array.isArray(message.content)) return { ...message, content: text };
  const others = message.content.filter((part) => !isJsonObject(part) || part.type !== 'text');
  return { ...message, content: [...(text === '' ? [] : [{ type: 'text', text }]), ...others] };
}

export interface Attachment {
  readonly name: string;
  /** A data URL. */
  readonly url: string;
}

/** Why files cannot be attached to those that are; undefined if they can. */
export function attachmentsProblem(
  attachments: readonly Attachment[],
  files: readonly { readonly size: number }[],
): string | undefined {
  const existing = attachments.reduce((sum, { url }) => sum + url.length, 0);
  // Base64 has four characters for three bytes.
  const added = files.reduce((sum, { size }) => sum + (size / 3) * 4, 0);
  // The API does not report another limit of the operator: the server then rejects the run.
  if (existing + added < bodyMebibytesDefault * 1_024 * 1_024) return undefined;
  return `Too large. Requests are limited to ${bodyMebibytesDefault} MB, and attachments grow by a third`;
}

/** A message of the user with images and files. */
export function userMessage(text: string, attachments: readonly Attachment[]): Message {
  if (attachments.length === 0) return { role: 'user', content: text };
  const parts = attachments.map(({ name, url }) =>
    url.startsWith('data:image/')
      ? { type: 'image_url', image_url: { url } }
      : { type: 'file', file: { filename: name, file_data: url } },
  );
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] };
}

/** Names of the images and files in a message. */
export function attachmentsOf({ content }: Message): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isJsonObject).flatMap((part) => {
    if (part.type === 'image_url') return ['Image'];
    return part.type === 'file' && isJsonObject(part.file) ? [String(part.file.filename ?? 'File')] : [];
  });
}
