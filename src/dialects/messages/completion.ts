import type { JsonObject } from '../json-object.ts';
import { citationLosses } from '../translate/citations.ts';
import type {
  Completion,
  CompletionContext,
  ParsedCompletion,
  Stop,
  WrittenCompletion,
} from '../translate/completion.ts';
import {
  isRefusal,
  isToolCall,
  logprobLosses,
  type OutputBlock,
  outputBlocks,
} from '../translate/completion-content.ts';
import type { TextBlock } from '../translate/content.ts';
import { asObject, asObjects, asText, unknownFields } from '../translate/loose-json.ts';
import { responseId, toolCallId } from '../translate/response-ids.ts';
import { agreeWithCalls } from '../translate/stop.ts';
import { missingCounts } from '../translate/token-usage.ts';
import {
  argumentPaths,
  argumentsText,
  customArguments,
  inputObject,
  parseArguments,
} from '../translate/tool-input.ts';
import type { ToolCallBlock, TurnBlock } from '../translate/turns.ts';
import { parseCitation, writeCitation } from './citations.ts';
import { parseReceivedReasoning, writeReasoning } from './reasoning.ts';
import { parseStop, writeStop } from './stop-reason.ts';
import { countNames, parseUsage, usageFields, writeUsage } from './usage.ts';

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
  const content = parseContent(body.content, drop);
  const completion: Completion = {
    id: asText(body.id),
    model: asText(body.model),
    created: undefined,
    content,
    stop: agreeWithCalls(parseStop(body, drop), content.some(isToolCall)),
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
  ...usageFields,
]);

/** Values that every response has unless the request asks for something else. */
const defaultRegions: ReadonlySet<unknown> = new Set(['not_available', 'global']);

/** The tiers of this dialect that OpenAI has as well, and their names there. */
const serviceTiers = [
  ['standard', 'default'],
  ['priority', 'priority'],
] as const;

function parseContent(content: unknown, drop: (path: string) => void): readonly TurnBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [parseText({ text: content }, content)];
  return asObjects(content).flatMap((part): readonly TurnBlock[] => {
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
  const caller = asObject(part.caller);
  const shown = caller.type === 'direct' ? { ...part, caller: { ...caller, type: null } } : part;
  return unknownFields(shown, known).map((field) => `content.*.${field}`);
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
  };
}

/** Writes the body of a response, with the fields that Anthropic sends. */
export function writeCompletion(completion: Completion, context: CompletionContext): WrittenCompletion {
  const { model, usage = {}, extras } = completion;
  const dropped = new Set<string>();
  const drop = (path: string) => dropped.add(path);
  const blocks = outputBlocks(completion.content, context);
  const id = responseId(dialect, completion.id, context.requestId);
  const tier = serviceTiers.find(([, name]) => name === extras.service_tier)?.[0];
  if (typeof extras.service_tier === 'string' && tier === undefined) drop('service_tier');
  if (typeof extras.system_fingerprint === 'string') drop('system_fingerprint');
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
  return { body, dropped: [...dropped], missing: missingCounts(usage, countNames) };
}

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
      for (const path of logprobLosses(block)) drop(path);
      // Anthropic rejects an empty text when the client sends it back.
      if (block.text === '') return [];
      return [{ type: 'text', text: block.text, ...writeCitations(block, drop) }];
    case 'reasoning':
      return [writeReasoning(block)];
    case 'tool-call':
      if (!block.isCustom && parseArguments(block.input) === undefined)
        drop(argumentPaths[block.extras.dialect]);
      return [writeToolCall(block, responseId, index)];
  }
}

function writeCitations(
  block: OutputBlock & { readonly text: string },
  drop: (path: string) => void,
): JsonObject {
  const citations = (block.kind === 'text' && block.citations) || [];
  const range = { start: 0, end: block.text.length };
  for (const citation of citations) for (const path of citationLosses(citation, dialect, range)) drop(path);
  const written = citations.flatMap((citation) => (citation.type === 'url' ? [writeCitation(citation)] : []));
  return written.length === 0 ? {} : { citations: written };
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
