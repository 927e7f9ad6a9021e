import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { parseExact } from '../../core/json/json-text.ts';
import { restrictId } from '../model/accepted-ids.ts';
import type { Content } from '../model/content.ts';
import { customArguments, inputObject, inputText } from '../model/tool-input.ts';
import { blocksOf, contentPath, type DroppedPaths, ownExtras, reportContent } from '../model/turn-content.ts';
import {
  isContent,
  isToolResult,
  type ToolCallBlock,
  type ToolResultBlock,
  type Turn,
  type TurnBlock,
  type WrittenTurns,
} from '../model/turns.ts';
import { parseContent, parsePart, writeContent } from './content.ts';
import { parseReasoning, writeReasoning } from './reasoning.ts';

const dialect = 'messages';
const path = 'messages.*';
const blockPath = `${path}.content.*`;
const inputPath = `${blockPath}.input`;
const resultPath = `${blockPath}.content`;

/** Parses the conversation of a request. Accepts any value. */
export function parseTurns({ system, messages }: JsonObject): readonly Turn[] {
  const turns = Array.isArray(messages) ? messages.map(parseMessage) : [];
  if (system === undefined || system === null) return turns;
  return [toTurn('system', parseContent(system), {}, 'system'), ...turns];
}

/** A message that is not understood has no content but extras, which include its role. */
function parseMessage(message: unknown): Turn {
  if (!isJsonObject(message)) return toTurn('user', [{ kind: 'native', dialect, part: message }], {});
  const { role, content, ...fields } = message;
  if (!isRole(role)) return toTurn('user', [], message);
  return toTurn(role, Array.isArray(content) ? content.map(parseBlock) : parseContent(content), fields);
}

/** Anthropic has no role `developer`, but a client may send it all the same. */
function isRole(role: unknown): role is Turn['role'] {
  return role === 'user' || role === 'assistant' || role === 'system' || role === 'developer';
}

function toTurn(role: Turn['role'], content: Turn['content'], fields: JsonObject, from = path): Turn {
  return { role, content, extras: { dialect, fields }, path: from };
}

function parseBlock(part: unknown): TurnBlock {
  if (!isJsonObject(part)) return parsePart(part);
  return (
    parseToolUse(part) ??
    parseToolResult(part) ??
    parseReasoning(part, `${blockPath}.${part.type}`) ??
    parsePart(part)
  );
}

function parseToolUse(part: JsonObject): ToolCallBlock | undefined {
  const { type, id, name, input, ...fields } = part;
  if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string' || !isJsonObject(input))
    return undefined;
  return {
    kind: 'tool-call',
    id,
    name,
    input: inputText(input),
    isCustom: false,
    extras: { dialect, fields },
    path: blockPath,
    inputPath,
  };
}

function parseToolResult(part: JsonObject): ToolResultBlock | undefined {
  const { type, tool_use_id: callId, content, is_error: isError, ...fields } = part;
  if (type !== 'tool_result' || typeof callId !== 'string') return undefined;
  return {
    kind: 'tool-result',
    callId,
    content: parseContent(content ?? ''),
    isError: isError === true,
    isCustom: false,
    extras: { dialect, fields },
    path: blockPath,
    contentPath: resultPath,
  };
}

/**
 * Writes turns as a conversation in the form that Anthropic accepts: instructions come first, all
 * results of tool calls are at the start of the message after the calls, and there are neither
 * empty texts nor empty messages.
 */
export function writeTurns(turns: readonly Turn[]): WrittenTurns {
  const dropped: DroppedPaths = new Set();
  const start = turns.findIndex((turn) => !isInstruction(turn));
  const length = start === -1 ? turns.length : start;
  const system = writeSystem(turns.slice(0, length), dropped);
  const messages = writeMessages(turns.slice(length), dropped);
  return { fields: { ...(system !== undefined && { system }), messages }, dropped };
}

/** A system message is not among the instructions at the start, even if it is the first message. */
function isInstruction(turn: Turn): boolean {
  return (turn.role === 'system' || turn.role === 'developer') && !isSystemMessage(turn);
}

/** Only some models accept system messages, so those of other dialects are not written as such. */
function isSystemMessage({ role, extras, path: from }: Turn): boolean {
  return role === 'system' && extras.dialect === dialect && from === path;
}

/** One string stays a string. */
function writeSystem(turns: readonly Turn[], dropped: DroppedPaths): unknown {
  const [only, ...others] = turns;
  for (const turn of turns) ownExtras(turn, dialect, dropped);
  if (others.length === 0 && typeof only?.content === 'string')
    return only.content.trim() === '' ? undefined : only.content;
  const parts = turns.flatMap((turn) => writeBlocks(blocksOf(turn), contentPath(turn), dropped));
  return parts.length === 0 ? undefined : parts;
}

/** Messages of the user are collected until the assistant speaks: results may be among them. */
function writeMessages(turns: readonly Turn[], dropped: DroppedPaths): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  let userTurns: Turn[] = [];
  for (const turn of turns) {
    if (turn.role !== 'assistant' && !isSystemMessage(turn)) {
      userTurns.push(turn);
      continue;
    }
    messages.push(...writeUserTurns(userTurns, dropped), ...writeMessage([turn], turn.role, dropped));
    userTurns = [];
  }
  return [...messages, ...writeUserTurns(userTurns, dropped)];
}

/** Results come first and share a message with what the user says next. */
function writeUserTurns(turns: readonly Turn[], dropped: DroppedPaths): readonly JsonObject[] {
  for (const { role, path: from } of turns) if (role !== 'user') dropped.add(`${from}.role`);
  const results = turns.flatMap((turn) => blocksOf(turn).filter(isToolResult));
  if (results.length === 0) return turns.flatMap((turn) => writeMessage([turn], 'user', dropped));
  const next = turns.findIndex((turn) => blocksOf(turn).some(isContent));
  const length = next === -1 ? turns.length : next + 1;
  const separate = turns.map((turn) =>
    typeof turn.content === 'string' ? turn : { ...turn, content: turn.content.filter(isContent) },
  );
  const first = separate.slice(0, length);
  const resultTurns = turns.map((turn) => ({ ...turn, content: blocksOf(turn).filter(isToolResult) }));
  return [
    ...writeMessage([...resultTurns, ...first], 'user', dropped),
    ...separate.slice(length).flatMap((turn) => writeMessage([turn], 'user', dropped)),
  ];
}

/** Writes turns as one message, or as none if nothing is left of them. */
function writeMessage(
  turns: readonly Turn[],
  role: Turn['role'],
  dropped: DroppedPaths,
): readonly JsonObject[] {
  const [only, ...others] = turns;
  const extras = Object.assign({}, ...turns.map((turn) => ownExtras(turn, dialect, dropped))) as JsonObject;
  const hasExtras = Object.keys(extras).length > 0;
  if (others.length === 0 && typeof only?.content === 'string')
    return only.content.trim() === '' && !hasExtras ? [] : [{ role, content: only.content, ...extras }];
  const content = turns.flatMap((turn) => writeBlocks(blocksOf(turn), contentPath(turn), dropped));
  return content.length === 0 && !hasExtras ? [] : [{ role, content, ...extras }];
}

function writeBlocks(blocks: readonly TurnBlock[], from: string, dropped: DroppedPaths): readonly unknown[] {
  return blocks.flatMap((block): readonly unknown[] => {
    switch (block.kind) {
      case 'tool-call':
        return [writeToolUse(block, dropped)];
      case 'tool-result':
        return [writeToolResult(block, dropped)];
      case 'reasoning':
        return [writeReasoning(block)];
      default:
        return writeParts([block], from, dropped);
    }
  });
}

/** Anthropic rejects empty texts, and has nothing to lose by them. */
function writeParts(content: Exclude<Content, string>, from: string, dropped: DroppedPaths) {
  const written = writeContent(content);
  reportContent(written, content, from, dropped);
  return (written.content as readonly unknown[]).filter((part) => !isBlankText(part));
}

function isBlankText(part: unknown): boolean {
  return isJsonObject(part) && part.type === 'text' && typeof part.text === 'string' && !part.text.trim();
}

function writeToolUse(call: ToolCallBlock, dropped: DroppedPaths): JsonObject {
  const { id, name } = call;
  return {
    type: 'tool_use',
    id: restrictId(id),
    name,
    input: writeInput(call, dropped),
    ...ownExtras(call, dialect, dropped),
  };
}

/** The input is an object here. A text that is none, because a model made a mistake, is wrapped. */
function writeInput({ input, isCustom, inputPath }: ToolCallBlock, dropped: DroppedPaths): unknown {
  if (isCustom) return customArguments(input);
  const parsed = parseInput(input);
  if (parsed !== undefined) return parsed;
  dropped.add(inputPath);
  return inputObject(input);
}

/** Undefined if the text is not a JSON object. Numbers keep all their digits. */
function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function writeToolResult(result: ToolResultBlock, dropped: DroppedPaths): JsonObject {
  const { callId, content: given, isError } = result;
  const content = typeof given === 'string' ? given : writeParts(given, result.contentPath, dropped);
  return {
    type: 'tool_result',
    tool_use_id: restrictId(callId),
    ...(content.length > 0 && { content }),
    ...(isError && { is_error: true }),
    ...ownExtras(result, dialect, dropped),
  };
}
