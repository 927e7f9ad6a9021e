/**
 * The call that a column makes: in the dialect of the version it tries, as an app would make it.
 */

import { isJsonObject, isSameJson, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { presetMarker } from '../../../../../src/core/presets/preset-reference.ts';
import { dialectOf } from '../../../../../src/dialects/dialects.ts';
import { translateUnfitted } from '../../../../../src/dialects/translate/translate-request.ts';
import { isListRequired } from '../../../features/request/prompt-field.ts';
import type { Message } from '../../../features/runs/message.ts';
import type { Source } from '../../../features/runs/run-state.ts';
import { maxTokensOf } from '../../../features/version-content/config-values.ts';
import type { CallRequest } from './run.ts';

/** The inputs of a run. Its result is outdated once they differ from those of the column. */
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

/** Fields that a call needs in one dialect only. */
const ownFields: Readonly<Record<Dialect, (config: JsonObject) => JsonObject>> = {
  // Without this, OpenAI and compatible servers omit token usage from streams.
  'chat-completions': () => ({ stream_options: { include_usage: true } }),
  // A limit is required; this one is enough for a reply to read.
  messages: (config) => (maxTokensOf(config) === undefined ? { max_tokens: 1_024 } : {}),
  responses: () => ({}),
};

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
  const chatBody = { ...asked, ...extras, ...ownFields['chat-completions'](config) };
  const { body } =
    messages.length === 0 ? { body: asked } : translateUnfitted(asked, 'chat-completions', format);
  return {
    inputs,
    dialect: format,
    chatBody,
    workspaceId,
    body: { ...body, ...extras, ...ownFields[format](config) },
  };
}

/**
 * Whether a column cannot run without a message. Otherwise the preset alone is worth sending: its
 * few-shot messages, or a template. But a system prompt is not a message where it has a field.
 */
export function needsMessage(dialect: Dialect, hasVariables: boolean, presetd: unknown): boolean {
  const messages = isJsonObject(presetd) ? presetd.messages : undefined;
  const hasMessages = Array.isArray(messages) && messages.length > 0;
  const isPromptMessage = dialectOf[dialect].conversation.promptField === undefined;
  return !hasMessages && (!hasVariables || (isListRequired(dialect) && !isPromptMessage));
}
