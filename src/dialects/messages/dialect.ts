import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import { asObject, asObjects } from '../../core/json/loose-json.ts';
import { shortenId } from '../model/accepted-ids.ts';
import type { CallSettings, DialectDefinition } from '../model/dialect.ts';
import { findLastText } from '../model/find-value.ts';
import { joinSystemPrompt } from '../model/system-prompt.ts';
import { conflicts, fields } from './captured-fields.ts';
import { parseCompletion, writeCompletion } from './completion.ts';
import { parseContent, parsePart, writeContent } from './content.ts';
import { documentBlock, imageBlock, textBlock } from './conversation.ts';
import { errorEvent, errors, hasFinished } from './errors.ts';
import { fitRequest } from './fit-request.ts';
import { conceptParsers, fieldConcepts } from './parse-concepts.ts';
import { createStreamParser } from './parse-stream.ts';
import { withoutSealed } from './reasoning.ts';
import { messagesRequest } from './schema.ts';
import { parseTurns, writeTurns } from './turns.ts';
import { parseUsage } from './usage.ts';
import { writeConcepts } from './write-concepts.ts';
import { createStreamWriter } from './write-stream.ts';

/** Anthropic's Messages, with what OpenRouter adds to it. */
export const messages: DialectDefinition = {
  name: 'messages',
  request: {
    path: '/messages',
    schemaName: 'MessagesRequest',
    schema: messagesRequest,
    fields,
    conflicts,
    minimalConversation: { messages: [{ role: 'user', content: '' }] },
    // Every server with Anthropic's API accepts the first version.
    requiredHeaders: { 'anthropic-version': '2023-06-01' },
    baseUrlHint: "/api for Anthropic's SDK, which adds /v1 itself, and in /api/v1 for others.",
    neutralValues: { service_tier: ['auto'], speed: ['standard'], stop_sequences: [[]] },
    isLost,
    fit: fitRequest,
    lossPaths: {
      reasoningTokens: ['thinking.budget_tokens'],
      reasoningVisibility: ['thinking.display'],
    },
  },
  conversation: {
    list: 'messages',
    promptField: 'system',
    messageFields: {},
    startsWithUser: true,
    findSystemPrompt: ({ system, messages }) => joinSystemPrompt([system, ...systemMessagesIn(messages)]),
    promptSource: 'The text of system messages is saved as part of the system prompt',
    storedFields: ['thread'],
    parseTurns,
    writeTurns,
  },
  content: {
    textTypes: { user: 'text', assistant: 'text' },
    textSchema: textBlock,
    presetParts: [
      { type: 'image', schema: imageBlock, role: 'user' },
      { type: 'document', schema: documentBlock, role: 'user' },
    ],
    parseContent,
    parsePart,
    writeContent,
  },
  concepts: {
    parsers: conceptParsers,
    write: writeConcepts,
    fields: fieldConcepts,
    ownMeanings: new Set(['context_management', 'service_tier']),
    reasoningBudget: {
      path: ['thinking', 'budget_tokens'],
      least: { tokens: 1_024, below: { type: 'disabled' } },
    },
  },
  call: { parse: parseCall, write: writeCall },
  tools: {
    nameLengthMax: 128,
    namePaths: ['tools.*.name', 'tool_choice.name', 'messages.*.content.*.name'],
    hasCustomTools: false,
    findCustomNames: () => noNames,
  },
  reasoning: {
    isPart: ({ type }) => type === 'thinking' || type === 'redacted_thinking',
    withoutSealed,
    path: 'messages.*.content.*.thinking',
  },
  completion: {
    parse: parseCompletion,
    write: writeCompletion,
    parseUsage,
    findFinishReason: (json) => findLastText(json, 'stop_reason'),
    findFailure: () => undefined,
  },
  stream: {
    createParser: createStreamParser,
    createWriter: createStreamWriter,
    startsWithUsage: true,
    hasFinished,
    errorEvent,
  },
  errors,
  hints: {
    fields: ['anthropic_version', 'anthropic_beta', 'betas'],
    // The types of Anthropic's own tools end with a date.
    isTool: (tool) =>
      'input_schema' in tool ||
      ('type' in tool && typeof tool.type === 'string' && /_20\d{6}$/.test(tool.type)),
    parts: ['image', 'document', 'tool_use', 'tool_result', 'thinking'],
  },
};

const noNames: ReadonlySet<string> = new Set();

/** Models that cannot turn their reasoning off, or have none, reject the attempt. */
function isLost(name: string, value: unknown): boolean {
  if (name === 'thinking') return isJsonObject(value) && value.type === 'disabled';
  return name === 'compaction' || name === 'prompt';
}

function systemMessagesIn(messages: unknown): readonly unknown[] {
  return asObjects(messages)
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content);
}

/** OpenAI limits the length of an id, and Claude Code exceeds that. */
function parseCall({ metadata, user }: JsonObject, drop: (path: string) => void): CallSettings {
  const { user_id: id, ...others } = asObject(metadata);
  for (const name of Object.keys(omitNullish(others))) drop(`metadata.${name}`);
  if (user !== undefined && id !== undefined && user !== id) drop('metadata.user_id');
  const given = user ?? id;
  return { user: typeof given === 'string' ? shortenId(given, userLengthMax) : given };
}

const userLengthMax = 64;

/** The id of the end user is the only key of the metadata. */
function writeCall(
  { metadata, user, safetyIdentifier: safety }: CallSettings,
  drop: (path: string) => void,
): JsonObject {
  if (metadata !== undefined) drop('metadata');
  if (user !== undefined && safety !== undefined && user !== safety) drop('user');
  const id = safety ?? user;
  return id === undefined ? {} : { metadata: { user_id: id } };
}
