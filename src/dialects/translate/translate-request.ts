import type { Issue } from '../../core/errors.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { assertNoIssues } from '../../core/request-issues.ts';
import * as chatCompletions from '../chat-completions/turns.ts';
import { isJsonObject, isSameJson, type JsonObject } from '../json-object.ts';
import { knownFields } from '../known-fields.ts';
import * as messages from '../messages/turns.ts';
import { isItemReference } from '../responses/item-reference.ts';
import * as responses from '../responses/turns.ts';
import { translateCallFields } from './call-fields.ts';
import { customChoiceToFunction, customToolsToFunctions, flattenNamespaces } from './declared-tools.ts';
import { encryptedReasoning, fitRequest } from './fit-request.ts';
import { fitTurn } from './fit-turn.ts';
import type { ToolNames } from './tool-names.ts';
import { translateConfig } from './translate-config.ts';
import { blocksOf, blockType, isContent, isToolResult } from './turn-content.ts';
import type { Turn, TurnBlock, WrittenTurns } from './turns.ts';

export interface TranslatedRequest extends Translation {
  /** The names of tools that were replaced. */
  readonly toolNames: ToolNames;
}

interface Translation {
  readonly body: JsonObject;
  /** Paths in the source, sorted. A star stands for any index. */
  readonly droppedFields: readonly string[];
}

/**
 * Translates a request for an upstream of another dialect, in a form that its provider accepts.
 * Throws `invalid_request` if it refers to something that is stored at a provider, or if nothing is
 * left of what it asks. Anything else that is not valid is left for the upstream to reject.
 */
export function translateRequest(body: JsonObject, from: Dialect, to: Dialect): TranslatedRequest {
  if (from === to) return { body, droppedFields: [], toolNames: new Map() };
  return fitTranslation(translateWithoutFitting(body, from, to), body, from, to);
}

/**
 * The last step of a translation, when a preset may have been merged with the request: what a
 * provider requires or rejects depends on the whole. `source` is the request in the client's
 * dialect; `tokensMax` bounds a token limit that is added.
 */
export function fitTranslation(
  { body, droppedFields }: Translation,
  source: JsonObject,
  from: Dialect,
  to: Dialect,
  tokensMax?: number,
): TranslatedRequest {
  assertNotEmpty(body, from, to);
  const { droppedFields: alsoDropped, ...fitted } = fitRequest(body, to, tokensMax);
  const dropped = new Set([...droppedFields, ...alsoDropped.map((path) => toSourcePath(path, source, from))]);
  return { ...fitted, droppedFields: [...dropped].toSorted() };
}

/** Like `translateRequest`, for a request that is still merged with a preset. */
export function translateWithoutFitting(body: JsonObject, from: Dialect, to: Dialect): Translation {
  if (from === to) return { body, droppedFields: [] };
  assertSelfContained(body, from);
  const dropped = new Set<string>();
  const drop = (path: string) => {
    dropped.add(path);
  };
  const given = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null && !isNeutral(name, value, from)),
  );
  const { fields: logprobs, rest } = takeLogprobs(given, from, to);
  const settings = translateSettings(rest, from, to, drop);
  const call = translateCallFields(rest, from, to, drop);
  const turns = formats[from].parseTurns(body).map((turn) => fitTurn(turn, to, drop));
  assertQuestionSurvives(turns, from, to);
  const conversation = formats[to].writeTurns(turns);
  for (const path of conversation.dropped) dropped.add(path);
  const translated = { ...settings, ...logprobs, ...call, ...conversation.fields };
  return { body: translated, droppedFields: [...dropped].toSorted() };
}

interface TurnFormat {
  readonly parseTurns: (body: JsonObject) => readonly Turn[];
  readonly writeTurns: (turns: readonly Turn[]) => WrittenTurns;
}

const formats: Readonly<Record<Dialect, TurnFormat>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
};

/** Without the last message of the user, the model would answer another question. */
function assertQuestionSurvives(turns: readonly Turn[], from: Dialect, to: Dialect): void {
  const question = turns.findLast((turn) => turn.role === 'user' && blocksOf(turn).some(isAsked));
  if (question === undefined || blocksOf(question).some(isAlwaysExpressed)) return;
  if (!isEmpty(formats[to].writeTurns([question]).fields, to)) return;
  const types = new Set(blocksOf(question).filter(isContent).map(blockType));
  assertNoIssues([
    {
      path: `/${conversationField[from]}`,
      message: `ends with ${[...types].join(', ') || 'content'}, which the API of this model does not support; add a text, or choose another model`,
    },
  ]);
}

/** Items of hosted tools belong to an earlier question. */
function isAsked(block: TurnBlock): boolean {
  return (
    isAlwaysExpressed(block) || (block.kind === 'native' ? block.isItem !== true : block.kind !== 'text')
  );
}

function isAlwaysExpressed(block: TurnBlock): boolean {
  return isToolResult(block) || (block.kind === 'text' && block.text.trim() !== '');
}

function isEmpty(fields: JsonObject, dialect: Dialect): boolean {
  const conversation = fields[conversationField[dialect]];
  return Array.isArray(conversation) && conversation.length === 0;
}

/** Instructions alone can be answered. */
function assertNotEmpty(body: JsonObject, from: Dialect, to: Dialect): void {
  if (!isEmpty(body, to) || isGiven(body.system) || isGiven(body.instructions)) return;
  assertNoIssues([{ path: `/${conversationField[from]}`, message: 'is empty; add a message' }]);
}

/** Leaving out a conversation that is stored would change what is asked. */
function assertSelfContained(body: JsonObject, from: Dialect): void {
  const names = storedState[from].filter((name) => isGiven(body[name]));
  const references = from === 'responses' ? storedItems(body.input) : [];
  assertNoIssues([
    ...names.map(
      (name): Issue => ({
        path: `/${name}`,
        message: `needs an upstream that supports ${from}; send the whole conversation in ${conversationField[from]} instead`,
      }),
    ),
    ...references.map(
      (index): Issue => ({
        path: `/input/${index}`,
        message: 'refers to an item that is not stored; send the item itself, as SDKs do with "store": false',
      }),
    ),
  ]);
}

function storedItems(input: unknown): readonly number[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown, index) => (isItemReference(item) ? [index] : []));
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

/** Fields that refer to what the provider has stored. */
const storedState: Readonly<Record<Dialect, readonly string[]>> = {
  'chat-completions': [],
  messages: ['thread'],
  responses: ['previous_response_id', 'conversation', 'prompt'],
};

const conversationField: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'messages',
  messages: 'messages',
  responses: 'input',
};

/** Whether a setting says what other dialects do without it. */
function isNeutral(name: string, value: unknown, dialect: Dialect): boolean {
  const values = Object.hasOwn(neutral[dialect], name) ? neutral[dialect][name] : undefined;
  return values?.some((each) => isSameJson(each, value)) ?? false;
}

const neutral: Readonly<Record<Dialect, Readonly<Record<string, readonly unknown[]>>>> = {
  'chat-completions': {
    n: [1],
    logprobs: [false],
    top_logprobs: [0],
    logit_bias: [{}],
    frequency_penalty: [0],
    presence_penalty: [0],
    repetition_penalty: [1],
    min_p: [0],
    top_a: [0],
    modalities: [['text']],
    service_tier: ['auto', 'default'],
    store: [false],
  },
  messages: { service_tier: ['auto'], speed: ['standard'], stop_sequences: [[]] },
  responses: {
    background: [false],
    frequency_penalty: [0],
    presence_penalty: [0],
    top_logprobs: [0],
    include: [[], [encryptedReasoning]],
    truncation: ['disabled'],
    modalities: [['text']],
    service_tier: ['auto', 'default'],
    store: [false],
  },
};

/**
 * Translates a request for token log probabilities between the OpenAI dialects, and returns the
 * body without those fields. Messages has no such field.
 */
function takeLogprobs(
  request: JsonObject,
  from: Dialect,
  to: Dialect,
): { readonly fields: JsonObject; readonly rest: JsonObject } {
  if (from === 'messages' || to === 'messages') return { fields: {}, rest: request };
  const { logprobs, top_logprobs: top, include, ...others } = request;
  const included: readonly unknown[] = Array.isArray(include) ? include : [];
  const remaining = included.filter((name) => name !== outputLogprobs && name !== encryptedReasoning);
  const rest = remaining.length === 0 ? others : { ...others, include: remaining };
  const isWanted = logprobs === true || top !== undefined || included.includes(outputLogprobs);
  if (!isWanted) return { fields: {}, rest };
  const logprobsFields = to === 'responses' ? { include: [outputLogprobs] } : { logprobs: true };
  return { fields: { ...logprobsFields, ...(top !== undefined && { top_logprobs: top }) }, rest };
}

const outputLogprobs = 'message.output_text.logprobs';

/** Translates what a preset can contain, and what its translation leaves to calls. */
function translateSettings(
  given: JsonObject,
  from: Dialect,
  to: Dialect,
  drop: (path: string) => void,
): JsonObject {
  const isLost = (name: string) => isUntranslated(name, given[name], from);
  for (const name of Object.keys(given)) if (isLost(name)) drop(name);
  const config = Object.entries(given).filter(([name]) => isSetting(name, from) && !isLost(name));
  const { config: settings, droppedFields } = translateConfig(
    declareTools(Object.fromEntries(config), from, to, drop),
    from,
    to,
  );
  for (const path of droppedFields) drop(path);
  return settings;
}

/** Unknown fields are among the settings, whose translation reports them. */
function isSetting(name: string, dialect: Dialect): boolean {
  return !Object.hasOwn(knownFields[dialect], name) || knownFields[dialect][name] === 'captured';
}

/**
 * Whether a field has no counterpart in requests. Models that cannot turn their reasoning off, or
 * have none, reject the attempt.
 */
function isUntranslated(name: string, value: unknown, dialect: Dialect): boolean {
  if (dialect !== 'messages') return ['prediction', 'logprobs', 'top_logprobs'].includes(name);
  if (name === 'thinking') return isJsonObject(value) && value.type === 'disabled';
  return name === 'compaction' || name === 'prompt';
}

/** Brings tools into a form that the other dialect can express. */
function declareTools(
  config: JsonObject,
  from: Dialect,
  to: Dialect,
  drop: (path: string) => void,
): JsonObject {
  const { tools: given, tool_choice: choice } = config;
  if (from === 'messages' || given === undefined) return config;
  const tools = from === 'responses' ? flattenNamespaces(given, drop) : given;
  if (to !== 'messages') return { ...config, tools };
  return {
    ...config,
    tools: customToolsToFunctions(tools, from, drop),
    ...(choice !== undefined && { tool_choice: customChoiceToFunction(choice) }),
  };
}

/**
 * The name in the source of a field that `fitRequest` dropped. With a preset, the field may be the
 * preset's; the client still gets the name that its own dialect has for it.
 */
function toSourcePath(path: string, body: JsonObject, from: Dialect): string {
  if (path === 'thinking' && from !== 'messages')
    return isGiven(body.reasoning_effort) ? 'reasoning_effort' : 'reasoning';
  if (path === 'reasoning.exclude' && isGiven(body.include_reasoning)) return 'include_reasoning';
  if (path === 'system.role' && from === 'responses' && isGiven(body.instructions))
    return 'instructions.role';
  if (path === 'system.role') return `${conversationField[from]}.*.role`;
  const names = from === 'messages' ? messagesNames : openaiNames;
  return names[path] ?? path;
}

const openaiNames: Readonly<Record<string, string>> = {
  stop_sequences: 'stop',
  'system.*.cache_control': 'messages.*.content.*.cache_control',
};

const messagesNames: Readonly<Record<string, string>> = {
  'reasoning.max_tokens': 'thinking.budget_tokens',
  'reasoning.exclude': 'thinking.display',
};
