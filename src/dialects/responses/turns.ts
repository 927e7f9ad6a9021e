import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { shortenId } from '../model/accepted-ids.ts';
import type { Block, Extras, NativeBlock, Role } from '../model/content.ts';
import {
  blocksOf,
  blockType,
  contentPath,
  type DroppedPaths,
  ownExtras,
  reportContent,
} from '../model/turn-content.ts';
import {
  isToolCall,
  type ToolCallBlock,
  type ToolResultBlock,
  type Turn,
  type TurnBlock,
  type WrittenTurns,
} from '../model/turns.ts';
import { parseContent, supported, writeContent } from './content.ts';
import { flatToolName } from './namespaces.ts';
import { parseReasoning, writeReasoning } from './reasoning.ts';

const dialect = 'responses';
const path = 'input.*';

/** Parses the conversation of a request. Accepts any value. */
export function parseTurns({ instructions, input }: JsonObject): readonly Turn[] {
  const turns = Array.isArray(input) ? parseItems(input) : parseInput(input);
  if (typeof instructions !== 'string' || instructions === '') return turns;
  return [toTurn('system', instructions, {}, 'instructions'), ...turns];
}

function parseInput(input: unknown): readonly Turn[] {
  return typeof input === 'string' ? [toTurn('user', input, {}, 'input')] : [];
}

function toTurn(role: Turn['role'], content: Turn['content'], fields: JsonObject, from = path): Turn {
  return { role, content, extras: { dialect, fields }, path: from };
}

/**
 * Output items that follow each other are one turn of the assistant, and the results of tool calls
 * one of the user. A message right after another is a new turn, unless the results of calls before
 * it are still missing.
 */
function parseItems(items: readonly unknown[]): readonly Turn[] {
  const turns: Turn[] = [];
  let last: unknown;
  for (const item of items) {
    const turn = parseItem(item);
    const previous = turns.at(-1);
    if (previous !== undefined && continues(previous, last, turn, item))
      turns[turns.length - 1] = join(previous, turn);
    else turns.push(turn);
    last = item;
  }
  return turns;
}

function continues(previous: Turn, lastItem: unknown, turn: Turn, item: unknown): boolean {
  if (previous.role !== turn.role || previous.path !== turn.path) return false;
  if (turn.role === 'assistant')
    return !(isMessage(lastItem) && isMessage(item)) || blocksOf(previous).some(isToolCall);
  return !isMessage(lastItem) && !isMessage(item);
}

function join(one: Turn, other: Turn): Turn {
  const content = [...blocksOf(one), ...blocksOf(other)];
  return toTurn(one.role, content, { ...other.extras.fields, ...one.extras.fields });
}

/** A message may lack a type. An item of another type is not a message, whatever its role. */
function isMessage(item: unknown): item is JsonObject & { readonly role: Turn['role'] } {
  if (!isJsonObject(item) || (item.type !== undefined && item.type !== 'message')) return false;
  return roles.includes(item.role);
}

const roles: readonly unknown[] = ['user', 'assistant', 'system', 'developer'];

/** Ids and states of items mean nothing to another provider. */
function parseItem(item: unknown): Turn {
  if (isMessage(item)) {
    const { type: _, role, content, id, status, ...fields } = item;
    return toTurn(role, parseContent(content), fields);
  }
  const block = (isJsonObject(item) ? parseKnownItem(item) : undefined) ?? toNative(item);
  return toTurn(isOfUser(block) ? 'user' : 'assistant', [block], {});
}

function toNative(part: unknown): NativeBlock {
  return { kind: 'native', dialect, part, isItem: true };
}

function isOfUser(block: TurnBlock): boolean {
  return (
    block.kind === 'tool-result' ||
    (block.kind === 'native' && /_(?:output|response)$/.test(blockType(block)))
  );
}

function parseKnownItem(item: JsonObject): TurnBlock | undefined {
  switch (item.type) {
    case 'function_call':
      return parseCall(item, item.arguments, false);
    case 'custom_tool_call':
      return parseCall(item, item.input, true);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return parseOutput(item);
    case 'reasoning':
      return parseReasoning(item, `${path}.reasoning`);
    default:
      return undefined;
  }
}

/** Other dialects have no namespaces, so the name of a tool contains its namespace there. */
function parseCall(item: JsonObject, input: unknown, isCustom: boolean): ToolCallBlock | undefined {
  const { type, call_id: id, name, namespace, id: _, status, ...rest } = item;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof input !== 'string') return undefined;
  const { arguments: __, input: ___, ...fields } = rest;
  const inputPath = `${path}.arguments`;
  const call = { kind: 'tool-call', id, input, isCustom, path, inputPath } as const;
  if (typeof namespace !== 'string') return { ...call, name, extras: { dialect, fields } };
  const nested = { name: 'namespace', fields: { name, namespace } };
  return { ...call, name: flatToolName(namespace, name), extras: { dialect, fields, nested } };
}

function parseOutput(item: JsonObject): ToolResultBlock | undefined {
  const { type, call_id: callId, output, id, status, ...fields } = item;
  if (typeof callId !== 'string') return undefined;
  const isCustom = type === 'custom_tool_call_output';
  const content = parseContent(output);
  return {
    kind: 'tool-result',
    callId,
    content,
    isError: false,
    isCustom,
    extras: { dialect, fields },
    path,
    contentPath: `${path}.output`,
  };
}

/** Writes turns as input items. A system prompt that is only a text becomes `instructions`. */
export function writeTurns(turns: readonly Turn[]): WrittenTurns {
  const dropped: DroppedPaths = new Set();
  const [first, ...others] = turns;
  if (first?.path === 'input' && others.length === 0) return { fields: { input: first.content }, dropped };
  const instructions = first === undefined ? undefined : plainInstructions(first);
  if (first === undefined || instructions === undefined)
    return { fields: { input: turns.flatMap((turn) => writeTurn(turn, dropped)) }, dropped };
  ownExtras(first, dialect, dropped);
  writeMessage(first, blocksOf(first) as readonly Block[], {}, dropped);
  return { fields: { instructions, input: others.flatMap((turn) => writeTurn(turn, dropped)) }, dropped };
}

function plainInstructions({ role, content, extras }: Turn): string | undefined {
  if (role !== 'system' || (extras.dialect === dialect && Object.keys(extras.fields).length > 0))
    return undefined;
  if (typeof content === 'string') return content === '' ? undefined : content;
  const [only, ...others] = content;
  const isPlain =
    others.length === 0 && only?.kind === 'text' && only.text !== '' && hasNoExtras(only.extras);
  return isPlain ? only.text : undefined;
}

/** Whether nothing but the text would be written. */
function hasNoExtras({ dialect: from, fields }: Extras): boolean {
  return !Object.keys(fields).some((name) => from === dialect || supported.includes(name));
}

function writeTurn(turn: Turn, dropped: DroppedPaths): readonly JsonObject[] {
  const extras = ownExtras(turn, dialect, dropped);
  if (typeof turn.content === 'string')
    return [{ type: 'message', role: turn.role, content: turn.content, ...extras }];
  const items: JsonObject[] = [];
  let content: Block[] = [];
  const flush = () => {
    if (content.length > 0) items.push(...writeMessage(turn, content, extras, dropped));
    content = [];
  };
  for (const block of turn.content) {
    const item = writeItem(block, dropped);
    if (item === undefined) content.push(block as Block);
    else {
      flush();
      items.push(item);
    }
  }
  flush();
  return items;
}

function writeMessage(
  turn: Turn,
  blocks: readonly Block[],
  extras: JsonObject,
  dropped: DroppedPaths,
): readonly JsonObject[] {
  const content = writeParts(
    blocks,
    turn.role === 'assistant' ? 'assistant' : 'user',
    contentPath(turn),
    dropped,
  );
  return content.length === 0 ? [] : [{ type: 'message', role: turn.role, content, ...extras }];
}

function writeParts(blocks: readonly Block[], role: Role, from: string, dropped: DroppedPaths) {
  const written = writeContent(blocks, role);
  reportContent(written, blocks, from, dropped);
  return written.content as readonly unknown[];
}

/** Undefined for a block that is part of a message. */
function writeItem(block: TurnBlock, dropped: DroppedPaths): JsonObject | undefined {
  switch (block.kind) {
    case 'tool-call':
      return writeCall(block, dropped);
    case 'tool-result':
      return writeOutput(block, dropped);
    case 'reasoning':
      return writeReasoning(block);
    case 'native':
      return block.isItem === true && block.dialect === dialect ? (block.part as JsonObject) : undefined;
    default:
      return undefined;
  }
}

function writeCall(call: ToolCallBlock, dropped: DroppedPaths): JsonObject {
  const { id, name, input, isCustom, extras } = call;
  return {
    type: isCustom ? 'custom_tool_call' : 'function_call',
    call_id: shortenId(id, callIdLengthMax),
    name,
    ...(extras.dialect === dialect && extras.nested?.fields),
    ...(isCustom ? { input } : { arguments: input }),
    ...ownExtras(call, dialect, dropped),
  };
}

/** OpenAI rejects longer ids. */
const callIdLengthMax = 64;

function writeOutput(result: ToolResultBlock, dropped: DroppedPaths): JsonObject {
  const { callId, content, isError, isCustom } = result;
  if (isError) dropped.add(`${result.path}.is_error`);
  const output =
    typeof content === 'string'
      ? content
      : toOutput(writeParts(content, 'user', result.contentPath, dropped));
  return {
    type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: shortenId(callId, callIdLengthMax),
    output,
    ...ownExtras(result, dialect, dropped),
  };
}

/** Some servers accept nothing but a string, so one text without extras is written as that. */
function toOutput(parts: readonly unknown[]): unknown {
  const [only, ...others] = parts;
  if (only === undefined) return '';
  const isText = isJsonObject(only) && only.type === 'input_text' && Object.keys(only).length === 2;
  return others.length === 0 && isText ? only.text : parts;
}
