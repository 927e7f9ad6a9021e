/**
 * Reasoning in an assistant message of chat completions, which OpenAI does not have here.
 *
 * OpenRouter lists it in `reasoning_details`, with a format for each provider, and repeats the
 * visible text in `reasoning`. DeepSeek, vLLM and others have plain text in `reasoning_content` or
 * `reasoning`.
 */

import { isJsonObject, isSameJson, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { isSealed, sealReasoning, unsealReasoning, withoutParts } from '../model/sealed-reasoning.ts';
import type { ReasoningBlock } from '../model/turns.ts';
import { callSignature } from './call-signature.ts';

const dialect = 'chat-completions';

/** Parses all reasoning of a message in a request, which may have none. */
export function parseReasoning(message: JsonObject, path: string): readonly ReasoningBlock[] {
  return withPlainText(message, path, parseDetails(detailsOf(message), path));
}

/**
 * Parses all reasoning of a response. Even if a detail has the format of another provider, it has
 * to come back to the upstream as this detail.
 */
export function parseReceivedReasoning(message: JsonObject, path: string): readonly ReasoningBlock[] {
  const blocks = detailsOf(message).map((detail) => parseOther(detail, path));
  return withPlainText(message, path, blocks);
}

function detailsOf({ reasoning_details: details }: JsonObject): readonly JsonObject[] {
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
}

function withPlainText(
  message: JsonObject,
  path: string,
  blocks: readonly ReasoningBlock[],
): readonly ReasoningBlock[] {
  if (blocks.some(({ text }) => text !== '')) return blocks;
  const plain = nonEmptyTexts(message);
  const [text] = Object.values(plain);
  if (text === undefined) return blocks;
  return [toBlock(text, false, { dialect, part: plain }, path), ...blocks];
}

function nonEmptyTexts({ reasoning, reasoning_content }: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries({ reasoning, reasoning_content });
  return Object.fromEntries(
    texts.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
  );
}

/** Parses `reasoning_details`. Each yields a block, except for those that belong together. */
function parseDetails(details: readonly JsonObject[], path: string): readonly ReasoningBlock[] {
  const blocks: ReasoningBlock[] = [];
  for (let at = 0; at < details.length; ) {
    const rest = details.slice(at);
    const parsed = parseSealed(rest, path) ?? parseThinking(rest, path) ?? parseItem(rest, path);
    blocks.push(parsed?.block ?? parseOther(rest[0] ?? {}, path));
    at += parsed?.length ?? 1;
  }
  return blocks;
}

interface ParsedDetails {
  readonly block: ReasoningBlock;
  /** How many details the block consists of. */
  readonly length: number;
}

/** Reasoning that `writeSealed` has written, with the visible text before it, if any. */
function parseSealed([first, second]: readonly JsonObject[], path: string): ParsedDetails | undefined {
  const alone = unsealReasoning(first?.data);
  if (alone !== undefined) return { block: toBlock('', false, alone, path), length: 1 };
  const original = unsealReasoning(second?.data);
  if (original === undefined || first?.format !== unknownFormat) return undefined;
  return { block: toBlock(visibleText(first), isSummary(first), original, path), length: 2 };
}

/** A block of messages. */
function parseThinking([first = {}]: readonly JsonObject[], path: string): ParsedDetails | undefined {
  const { type, format, text, signature, data, index: _, ...rest } = first;
  if (format !== claudeFormat || Object.keys(omitNullish(rest)).length > 0) return undefined;
  const block = (shown: string, part: JsonObject) => ({
    block: toBlock(shown, false, { dialect: 'messages', part }, path),
    length: 1,
  });
  if (type === 'reasoning.text' && typeof text === 'string' && typeof signature === 'string')
    return block(text, { type: 'thinking', thinking: text, signature });
  if (type === 'reasoning.encrypted' && typeof data === 'string')
    return block('', { type: 'redacted_thinking', data });
  return undefined;
}

/** An item of responses: its summaries and its encrypted content, which have the same id. */
function parseItem(details: readonly JsonObject[], path: string): ParsedDetails | undefined {
  const id = details[0]?.id;
  if (typeof id !== 'string') return undefined;
  const end = details.findIndex((detail) => detail.format !== openAiFormat || detail.id !== id);
  const all = details.slice(0, end === -1 ? undefined : end);
  const encryptedAt = all.findIndex(({ type }) => type === 'reasoning.encrypted');
  const summaries = (encryptedAt === -1 ? all : all.slice(0, encryptedAt)).map(({ summary }) => summary);
  const encrypted = encryptedAt === -1 ? [] : [all[encryptedAt]?.data];
  const length = summaries.length + encrypted.length;
  if (length === 0 || ![...summaries, ...encrypted].every((text) => typeof text === 'string'))
    return undefined;
  const part = {
    id,
    type: 'reasoning',
    summary: summaries.map((text) => ({ type: 'summary_text', text })),
    ...(encrypted.length > 0 && { encrypted_content: encrypted[0] }),
  };
  const original = { dialect: 'responses', part } as const;
  return { block: toBlock(summaries.join('\n\n'), summaries.length > 0, original, path), length };
}

function parseOther(detail: JsonObject, path: string): ReasoningBlock {
  return toBlock(visibleText(detail), isSummary(detail), { dialect, part: detail }, path);
}

function visibleText({ text, summary }: JsonObject): string {
  return [text, summary].find((value) => typeof value === 'string') ?? '';
}

function isSummary({ type }: JsonObject): boolean {
  return type === 'reasoning.summary';
}

function toBlock(
  text: string,
  isSummary: boolean,
  original: ReasoningBlock['original'],
  path: string,
): ReasoningBlock {
  return { kind: 'reasoning', text, isSummary, original, path };
}

/** Writes the fields of a message in a response, which also has the visible text in `reasoning`. */
export function writeReasoning(blocks: readonly ReasoningBlock[]): JsonObject {
  const plain = blocks.filter(isPlain);
  const others = blocks.filter((block) => !isPlain(block));
  const details = others.flatMap(writeDetails);
  return {
    ...(details.length > 0 && {
      reasoning: others.map(({ text }) => text).join(''),
      reasoning_details: details,
    }),
    ...Object.assign({}, ...plain.map(({ original }) => original.part)),
  };
}

/** Whether it is text in a field of the message. Details always have a type. */
export function isPlain({ original }: ReasoningBlock): boolean {
  return original.dialect === dialect && !Object.hasOwn(original.part, 'type');
}

/**
 * Writes a block as `reasoning_details`. Other dialects have formats of their own, which OpenRouter
 * and its clients understand. A part that would not come back unchanged from them is sealed.
 */
export function writeDetails(
  block: Pick<ReasoningBlock, 'text' | 'isSummary' | 'original'>,
): readonly JsonObject[] {
  const { dialect: source, part } = block.original;
  if (source === dialect) return [part];
  const details = writers[source]?.(part) ?? [];
  const [parsed, ...others] = parseDetails(details, '');
  const isSame = parsed?.original.dialect === source && isSameJson(parsed.original.part, part);
  return isSame && others.length === 0 ? details : writeSealed(block);
}

/** How the reasoning of other dialects is written. All others have no format, and are sealed. */
const writers: Readonly<Partial<Record<Dialect, (part: JsonObject) => readonly JsonObject[]>>> = {
  messages: writeThinking,
  responses: writeItem,
};

function writeThinking({ type, thinking, signature, data }: JsonObject): readonly JsonObject[] {
  return type === 'redacted_thinking'
    ? [{ type: 'reasoning.encrypted', data, format: claudeFormat }]
    : [{ type: 'reasoning.text', text: thinking, signature, format: claudeFormat }];
}

function writeItem({ id, summary, encrypted_content: data }: JsonObject): readonly JsonObject[] {
  const parts = Array.isArray(summary) ? summary.filter(isJsonObject) : [];
  return [
    ...parts.map(({ text }) => ({ type: 'reasoning.summary', summary: text, id, format: openAiFormat })),
    ...(data === undefined ? [] : [{ type: 'reasoning.encrypted', data, id, format: openAiFormat }]),
  ];
}

function writeSealed({
  text,
  isSummary,
  original,
}: Pick<ReasoningBlock, 'text' | 'isSummary' | 'original'>): readonly JsonObject[] {
  const shown = isSummary
    ? { type: 'reasoning.summary', summary: text, format: unknownFormat }
    : { type: 'reasoning.text', text, format: unknownFormat };
  const sealed = { type: 'reasoning.encrypted', data: sealReasoning(original), format: unknownFormat };
  return text === '' ? [sealed] : [shown, sealed];
}

const claudeFormat = 'anthropic-claude-v1';
const openAiFormat = 'openai-responses-v1';
const unknownFormat = 'unknown';

/** Whether a part is what `ReasoningBlock.original` has in this dialect. */
export function isReasoningPart({ type, ...part }: JsonObject): boolean {
  if (type === undefined)
    return Object.keys(part).every((name) => name === 'reasoning' || name === 'reasoning_content');
  return typeof type === 'string' && (type.startsWith('reasoning.') || type === callSignature);
}

/** A message without the reasoning of other dialects. */
export function withoutSealed(message: JsonObject): readonly JsonObject[] {
  return [withoutParts(message, 'reasoning_details', ({ data }) => isSealed(data))];
}
