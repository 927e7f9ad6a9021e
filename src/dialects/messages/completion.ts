import type { JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects, asText } from '../../core/json/loose-json.ts';
import { parseUrlCitation, type TextRange, writeCitations } from '../model/citations.ts';
import type {
  Completion,
  CompletionContext,
  ParsedCompletion,
  Stop,
  WrittenCompletion,
} from '../model/completion.ts';
import type { Citation, RefusalBlock, TextBlock } from '../model/content.ts';
import { responseId, toolCallId } from '../model/response-ids.ts';
import { agreeWithCalls } from '../model/stop.ts';
import { argumentsText, customArguments, inputObject, parseArguments } from '../model/tool-input.ts';
import { isRefusal, isToolCall, type OutputBlock, type ToolCallBlock } from '../model/turns.ts';
import { unknownFields, withoutDirectCaller } from '../model/unknown-fields.ts';
import { parseReceivedReasoning, writeReasoning } from './reasoning.ts';
import { parseStop, writeStop } from './stop-reason.ts';
import { findMissingCounts, knownUsageFields, parseUsage, writeUsage } from './usage.ts';

const dialect = 'messages';

/** Parses the body of a response. Blocks of tools that the provider runs are lost. */
export function parseCompletion(body: JsonObject): ParsedCompletion {
  const usage = asObject(body.usage);
  const tier = serviceTiers.find(([name]) => name === usage.service_tier)?.[1];
  const dropped = new Set(unknownFields(body, knownFields));
  if (typeof usage.service_tier === 'string' && tier === undefined) dropped.add('usage.service_tier');
  if (defaultRegions.has(usage.inference_geo)) dropped.delete('usage.inference_geo');
  if (usage.speed === 'standard') dropped.delete('usage.speed');
  const drop = (path: string) => dropped.add(path);
  const completion: Completion = {
    id: asText(body.id),
    model: asText(body.model),
    created: undefined,
    content: parseContent(body.content, drop),
    stop: parseStop(body, drop),
    usage: parseUsage(usage),
    extras: { service_tier: tier },
  };
  return { completion, dropped: [...dropped] };
}

const knownFields: ReadonlySet<string> = new Set([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage.service_tier',
  ...knownUsageFields,
]);

/** Values that every response has unless the request asks for something else. */
const defaultRegions: ReadonlySet<unknown> = new Set(['not_available', 'global']);

/** The tiers of this dialect that OpenAI has as well, and their names there. */
const serviceTiers = [
  ['standard', 'default'],
  ['priority', 'priority'],
] as const;

function parseContent(content: unknown, drop: (path: string) => void): readonly OutputBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [parseText({ text: content }, content)];
  return asObjects(content).flatMap((part): readonly OutputBlock[] => {
    const { type, text, name } = part;
    for (const path of blockLosses(part)) drop(path);
    if (type === 'text' && typeof text === 'string') return [parseText(part, text)];
    if (type === 'tool_use' && typeof name === 'string') return [parseToolCall(part, name)];
    const reasoning = parseReceivedReasoning(part, 'content.*');
    if (reasoning === undefined) drop(`content.*.${asText(type) ?? ''}`);
    return reasoning === undefined ? [] : [reasoning];
  });
}

/** The fields of a block that have no place elsewhere, as paths. Thinking is sealed as a whole. */
export function blockLosses(part: JsonObject): readonly string[] {
  const known = knownBlockFields.get(part.type);
  if (known === undefined) return [];
  return unknownFields(withoutDirectCaller(part), known).map((field) => `content.*.${field}`);
}

const knownBlockFields: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['text', new Set(['type', 'text', 'citations'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input'])],
]);

function parseText(part: JsonObject, text: string): TextBlock {
  const citations = asObjects(part.citations).map(parseCitation);
  return {
    kind: 'text',
    text,
    ...(citations.length > 0 && { citations }),
    extras: { dialect, fields: {} },
  };
}

function parseToolCall(part: JsonObject, name: string): ToolCallBlock {
  return {
    kind: 'tool-call',
    id: asText(part.id) ?? '',
    name,
    input: argumentsText(part.input),
    isCustom: false,
    extras: { dialect, fields: {} },
    path: 'content.*',
    inputPath,
  };
}

export const inputPath = 'content.*.input';

/** Parses one of a text block's `citations`, which refer to the whole text. */
export function parseCitation(citation: JsonObject): Citation {
  const isUrl = citation.type === 'web_search_result_location';
  return parseUrlCitation(isUrl ? citation : undefined, {
    path: 'content.*.citations',
    quote: citation.cited_text,
    unshared: citation.encrypted_index ? ['encrypted_index'] : [],
  });
}

/** Writes the body of a response, with the fields that Anthropic sends. */
export function writeCompletion(completion: Completion, context: CompletionContext): WrittenCompletion {
  const { model, content: blocks, usage = {}, extras } = completion;
  const dropped = new Set<string>();
  const drop = (path: string) => dropped.add(path);
  const id = responseId(idPrefix, completion.id, context.requestId);
  const tier = serviceTiers.find(([, name]) => name === extras.service_tier)?.[0];
  if (typeof extras.service_tier === 'string' && tier === undefined) drop('service_tier');
  const body = {
    id,
    type: 'message',
    role: 'assistant',
    model: model ?? context.model,
    content: blocks.flatMap((block, index) => writeBlock(block, id, index, drop)),
    ...writeStop(stopOf(completion.stop, blocks)),
    stop_details: null,
    usage: {
      ...writeUsage({ input: context.estimatedInputTokens, ...usage }),
      ...(tier !== undefined && { service_tier: tier }),
    },
  };
  return { body, dropped: [...dropped], missing: findMissingCounts(usage) };
}

/** The prefix of the ids of messages. */
export const idPrefix = 'msg_';

/** The text of a refusal is text like any other here. Only the stop reason tells them apart. */
function stopOf(stop: Stop, blocks: readonly OutputBlock[]): Stop {
  const agreed = agreeWithCalls(stop, blocks.some(isToolCall));
  return agreed.reason === 'end' && blocks.some(isRefusal) ? { reason: 'refusal' } : agreed;
}

function writeBlock(
  block: OutputBlock,
  responseId: string,
  index: number,
  drop: (path: string) => void,
): readonly JsonObject[] {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      if (block.logprobs !== undefined) drop(block.logprobs.path);
      // Anthropic rejects an empty text when the client sends it back.
      if (block.text === '') return [];
      return [{ type: 'text', text: block.text, ...citationsOf(block, drop) }];
    case 'reasoning':
      return [writeReasoning(block)];
    case 'tool-call':
      if (!block.isCustom && parseArguments(block.input) === undefined) drop(block.inputPath);
      return [writeToolCall(block, responseId, index)];
  }
}

function citationsOf(block: TextBlock | RefusalBlock, drop: (path: string) => void): JsonObject {
  if (block.kind !== 'text' || block.citations === undefined) return {};
  const citations = writeAllCitations(block.citations, { start: 0, end: block.text.length }, drop);
  return citations.length === 0 ? {} : { citations };
}

/** Citations refer to the whole text here; only Anthropic's own search has a quote and an index. */
export function writeAllCitations(
  citations: readonly Citation[],
  text: TextRange,
  drop: (path: string) => void,
): readonly JsonObject[] {
  return writeCitations(
    citations,
    ({ url, title = null, quote = '' }) => ({
      type: 'web_search_result_location',
      url,
      title,
      cited_text: quote,
      encrypted_index: '',
    }),
    ({ start = text.start, end = text.end }) =>
      start === text.start && end === text.end ? [] : ['start_index', 'end_index'],
    drop,
  );
}

function writeToolCall(call: ToolCallBlock, responseId: string, index: number): JsonObject {
  const { name, input, isCustom } = call;
  return {
    type: 'tool_use',
    id: call.id || toolCallId(responseId, index),
    name,
    input: isCustom ? customArguments(input) : inputObject(input),
    caller: { type: 'direct' },
  };
}
