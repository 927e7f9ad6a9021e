import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { shortenId } from '../model/accepted-ids.ts';
import type { Block, Content } from '../model/content.ts';
import { inputText } from '../model/tool-input.ts';
import {
  blocksOf,
  contentPath,
  type DroppedPaths,
  ownExtras,
  reportContent,
  textBlock,
} from '../model/turn-content.ts';
import {
  isContent,
  isReasoning,
  isToolResult,
  type ReasoningBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  type Turn,
  type TurnBlock,
  type WrittenTurns,
} from '../model/turns.ts';
import { isSignature, signedCalls } from './call-signature.ts';
import { parseContent, writeContent } from './content.ts';
import { isPlain, parseReasoning, writeDetails } from './reasoning.ts';

const dialect = 'chat-completions';
const path = 'messages.*';
const callPath = `${path}.tool_calls.*`;
const functionCallPath = `${path}.function_call`;

/**
 * Parses the messages of a request, each as one turn. Accepts any value. OpenRouter's `prompt`
 * replaces messages and is one turn of the user.
 */
export function parseTurns({ messages, prompt }: JsonObject): readonly Turn[] {
  if (typeof prompt === 'string' && !Array.isArray(messages))
    return [{ role: 'user', content: prompt, extras: { dialect, fields: {} }, path: 'prompt' }];
  const calls: EarlierCalls = { customIds: new Set(), functionId: functionCallId(0), functionCount: 0 };
  return Array.isArray(messages) ? messages.map((message) => parseMessage(message, calls)) : [];
}

/** Facts about tool calls that only their results reveal. */
interface EarlierCalls {
  readonly customIds: Set<string>;
  /** The predecessor of tool calls has no ids: a result belongs to the last call. */
  functionId: string;
  functionCount: number;
}

function functionCallId(index: number): string {
  return `function_call_${index}`;
}

/** A message that is not understood has no content but extras, which include its role. */
function parseMessage(message: unknown, calls: EarlierCalls): Turn {
  if (!isJsonObject(message)) return toTurn('user', [{ kind: 'native', dialect, part: message }], {});
  const { role, content, ...fields } = message;
  switch (role) {
    case 'system':
    case 'developer':
    case 'user':
      return toTurn(role, parseContent(content), fields);
    case 'assistant':
      return parseAssistant(message, calls);
    case 'tool': {
      const { tool_call_id: id, ...extras } = fields;
      if (typeof id !== 'string') break;
      return toTurn('user', [toResult(id, content, extras, calls)], {});
    }
    case 'function': {
      const { name, ...extras } = fields;
      const result = toResult(calls.functionId, content, extras, calls);
      const nested = { name: role, fields: { name } };
      return toTurn('user', [{ ...result, extras: { ...result.extras, nested } }], {});
    }
  }
  return toTurn('user', [], message);
}

function toTurn(role: Turn['role'], content: Turn['content'], fields: JsonObject): Turn {
  return { role, content, extras: { dialect, fields }, path };
}

function toResult(
  callId: string,
  content: unknown,
  fields: JsonObject,
  { customIds }: EarlierCalls,
): ToolResultBlock {
  return {
    kind: 'tool-result',
    callId,
    content: parseContent(content),
    isError: false,
    isCustom: customIds.has(callId),
    extras: { dialect, fields },
    path,
    contentPath: `${path}.content`,
  };
}

function parseAssistant(message: JsonObject, earlier: EarlierCalls): Turn {
  const {
    role,
    content: given,
    refusal,
    tool_calls: toolCalls,
    function_call: functionCall,
    reasoning: _,
    reasoning_content: __,
    reasoning_details: ___,
    ...fields
  } = message;
  const content = parseContent(given);
  const { calls, rest } = parseToolCalls(toolCalls, functionCall, earlier);
  const others: readonly TurnBlock[] = [
    ...(typeof refusal === 'string' && refusal !== '' ? [toRefusal(refusal)] : []),
    ...calls,
  ];
  const reasoning = parseReasoning(message, `${path}.reasoning`);
  const extras = { ...fields, ...rest };
  if (reasoning.length === 0 && others.length === 0) return toTurn('assistant', content, extras);
  return toTurn('assistant', [...reasoning, ...toBlocks(content), ...others], extras);
}

/** An empty text next to tool calls says nothing. */
function toBlocks(content: Content): readonly Block[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [textBlock(content, dialect)];
}

function toRefusal(text: string): Block {
  return { kind: 'refusal', text, extras: { dialect, fields: {} } };
}

/** Calls that are not valid remain as fields, which only this dialect writes. */
function parseToolCalls(toolCalls: unknown, functionCall: unknown, earlier: EarlierCalls) {
  const list: readonly unknown[] = Array.isArray(toolCalls) ? toolCalls : [];
  const parsed = list.map((call) => ({ call, block: parseToolCall(call) }));
  const legacy = parseFunctionCall(functionCall, earlier);
  const calls = [...parsed.flatMap(({ block }) => block ?? []), ...(legacy ?? [])];
  for (const { id, isCustom } of calls) if (isCustom) earlier.customIds.add(id);
  const invalid = Array.isArray(toolCalls)
    ? parsed.filter(({ block }) => block === undefined).map(({ call }) => call)
    : (toolCalls ?? []);
  const rest: Record<string, unknown> = {};
  if (!Array.isArray(invalid) || invalid.length > 0) rest.tool_calls = invalid;
  if (legacy === undefined) rest.function_call = functionCall;
  return { calls, rest };
}

function parseToolCall(call: unknown): ToolCallBlock | undefined {
  if (!isJsonObject(call) || typeof call.id !== 'string') return undefined;
  const { id, type, function: called, custom, ...fields } = call;
  const isCustom = isJsonObject(custom);
  const definition = isCustom ? custom : called;
  if (!isJsonObject(definition) || typeof definition.name !== 'string') return undefined;
  const input = isCustom ? definition.input : inputText(definition.arguments);
  if (typeof input !== 'string') return undefined;
  return {
    kind: 'tool-call',
    id,
    name: definition.name,
    input,
    isCustom,
    extras: { dialect, fields },
    path: callPath,
    inputPath: `${callPath}.function.arguments`,
  };
}

/** No block if there is no call, undefined if it is not valid. */
function parseFunctionCall(call: unknown, earlier: EarlierCalls): readonly ToolCallBlock[] | undefined {
  if (call === undefined || call === null) return [];
  if (!isJsonObject(call) || typeof call.name !== 'string' || typeof call.arguments !== 'string')
    return undefined;
  const id = functionCallId(earlier.functionCount);
  earlier.functionId = id;
  earlier.functionCount += 1;
  const extras = { dialect, fields: {}, nested: { name: 'function_call', fields: {} } } as const;
  const { name, arguments: input } = call;
  return [
    {
      kind: 'tool-call',
      id,
      name,
      input,
      isCustom: false,
      extras,
      path: functionCallPath,
      inputPath: `${functionCallPath}.arguments`,
    },
  ];
}

/**
 * Writes turns as messages. OpenAI requires that the results of all tool calls follow right after
 * the message that has the calls, and the text of a message comes before its calls.
 */
export function writeTurns(turns: readonly Turn[]): WrittenTurns {
  const dropped: DroppedPaths = new Set();
  const messages: JsonObject[] = [];
  let others: JsonObject[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      messages.push(...others, ...writeAssistant(turn, dropped));
      others = [];
    } else {
      const written = writeTurn(turn, dropped);
      messages.push(...written.results);
      others.push(...written.others);
    }
  }
  return { fields: { messages: [...messages, ...others] }, dropped };
}

/** The results of tool calls in a turn, and a message with everything else, if any. */
function writeTurn(turn: Turn, dropped: DroppedPaths) {
  const extras = ownExtras(turn, dialect, dropped);
  const { role, content } = turn;
  if (typeof content === 'string') return { results: [], others: [{ role, content, ...extras }] };
  const results = content.filter(isToolResult).map((result) => writeResult(result, dropped));
  const parts = [
    ...results.flatMap(({ others }) => others),
    ...writeParts(content.filter(isContent), contentPath(turn), dropped),
  ];
  const isEmpty = parts.length === 0 && Object.keys(extras).length === 0;
  return {
    results: results.map(({ message }) => message),
    others: isEmpty ? [] : [{ role, content: toContent(parts), ...extras }],
  };
}

/** A tool message can only have text. Everything else has to follow in a message of the user. */
function writeResult(result: ToolResultBlock, dropped: DroppedPaths) {
  const { callId, content, isError } = result;
  if (isError) dropped.add(`${result.path}.is_error`);
  const { nested } = result.extras;
  const parts = typeof content === 'string' ? [] : writeParts(content, result.contentPath, dropped);
  const texts = parts.filter(isText);
  const message = {
    ...(nested?.name === 'function'
      ? { role: 'function', ...nested.fields }
      : { role: 'tool', tool_call_id: shortenId(callId, callIdLengthMax) }),
    content: typeof content === 'string' ? content : texts.length === 0 ? '' : toContent(texts),
    ...ownExtras(result, dialect, dropped),
  };
  return { message, others: parts.filter((part) => !isText(part)) };
}

/** OpenAI rejects longer ids in this dialect, at least for older models. */
const callIdLengthMax = 40;

function writeParts(blocks: readonly Block[], from: string, dropped: DroppedPaths): readonly unknown[] {
  const written = writeContent(blocks);
  reportContent(written, blocks, from, dropped);
  return written.content as readonly unknown[];
}

/** Many servers accept nothing but a string, so one text without extras is written as that. */
function toContent(parts: readonly unknown[]): unknown {
  const [only, ...others] = parts;
  return others.length === 0 && isText(only) && Object.keys(only).length === 2 ? only.text : parts;
}

function isText(part: unknown): part is JsonObject {
  return isJsonObject(part) && part.type === 'text';
}

/** Writes one message, or none if nothing is left of the turn. */
function writeAssistant(turn: Turn, dropped: DroppedPaths): readonly JsonObject[] {
  const extras = ownExtras(turn, dialect, dropped);
  const { role, content } = turn;
  const blocks = blocksOf(turn);
  const all = blocks.filter(isContent);
  const refusal = separateRefusal(all);
  const parts = writeParts(refusal === undefined ? all : all.slice(0, -1), contentPath(turn), dropped);
  const calls = signedCalls(blocks);
  const toolCalls = calls.filter(({ call }) => !isFunctionCall(call));
  const invalid = Array.isArray(extras.tool_calls) ? extras.tool_calls : [];
  const functionCall = calls.map(({ call }) => call).find(isFunctionCall);
  const hasMore = calls.length > 0 || refusal !== undefined;
  const rest = {
    ...(refusal !== undefined && { refusal }),
    ...writeReasoning(blocks.filter(isReasoning).filter((block) => !isSignature(block))),
    ...(functionCall !== undefined && {
      function_call: { name: functionCall.name, arguments: functionCall.input },
    }),
    ...extras,
    ...(toolCalls.length > 0 && {
      tool_calls: [
        ...toolCalls.map(({ call, signature }) => ({ ...writeToolCall(call, dropped), ...signature })),
        ...invalid,
      ],
    }),
  };
  const isEmpty = typeof content !== 'string' && parts.length === 0 && Object.keys(rest).length === 0;
  if (isEmpty) return [];
  return [{ role, content: parts.length > 0 ? toContent(parts) : hasMore ? null : '', ...rest }];
}

/** The reasoning of this dialect is written back as the provider wrote it. */
function writeReasoning(blocks: readonly ReasoningBlock[]): JsonObject {
  const plain = blocks.filter(isPlain).map(({ original }) => original.part);
  const details = blocks.filter((block) => !isPlain(block)).flatMap(writeDetails);
  return {
    ...(Object.assign({}, ...plain) as JsonObject),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** A message has one refusal, after its content. Any other is a part of the content. */
function separateRefusal(content: readonly Block[]): string | undefined {
  const last = content.at(-1);
  if (last?.kind !== 'refusal' || Object.keys(last.extras.fields).length > 0) return undefined;
  return content.filter(({ kind }) => kind === 'refusal').length === 1 ? last.text : undefined;
}

function isFunctionCall({ extras }: ToolCallBlock): boolean {
  return extras.dialect === dialect && extras.nested?.name === 'function_call';
}

function writeToolCall(call: ToolCallBlock, dropped: DroppedPaths): JsonObject {
  const { name, input, isCustom } = call;
  return {
    id: shortenId(call.id, callIdLengthMax),
    ...(isCustom
      ? { type: 'custom', custom: { name, input } }
      : { type: 'function', function: { name, arguments: input } }),
    ...ownExtras(call, dialect, dropped),
  };
}
