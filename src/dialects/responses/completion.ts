import type { JsonObject } from '../../core/json/json-object.ts';
import { asObjects, asText, asTime } from '../../core/json/loose-json.ts';
import { parseUrlCitation } from '../model/citations.ts';
import type {
  Completion,
  CompletionContext,
  ParsedCompletion,
  WrittenCompletion,
} from '../model/completion.ts';
import type { Citation, Logprobs, RefusalBlock, TextBlock } from '../model/content.ts';
import { responseId, toolCallId } from '../model/response-ids.ts';
import { argumentsText } from '../model/tool-input.ts';
import type { OutputBlock, ToolCallBlock } from '../model/turns.ts';
import { unknownFields, withoutDirectCaller } from '../model/unknown-fields.ts';
import { writeAnnotations } from '../openai/citations.ts';
import { stopLosses } from '../openai/stop.ts';
import { idPrefix, itemId } from './item-ids.ts';
import { parseReceivedReasoning, writeReasoning } from './reasoning.ts';
import { writeSettings } from './settings.ts';
import { parseStop, writeStop } from './stop-reason.ts';
import { findMissingCounts, knownUsageFields, parseUsage, writeUsage } from './usage.ts';

const dialect = 'responses';

/** Parses the body of a response. Items of tools that the provider runs are lost. */
export function parseCompletion(body: JsonObject): ParsedCompletion {
  const dropped = new Set(unknownFields(body, knownFields));
  const drop = (path: string) => dropped.add(path);
  const completion: Completion = {
    id: asText(body.id),
    model: asText(body.model),
    created: asTime(body.created_at),
    content: asObjects(body.output).flatMap((item) => parseItem(item, drop)),
    stop: parseStop(body, drop),
    usage: parseUsage(body.usage),
    extras: { service_tier: body.service_tier },
  };
  return { completion, dropped: [...dropped] };
}

/** Includes the settings of the request, which the response only repeats. */
const knownFields: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created_at',
  'completed_at',
  'status',
  'incomplete_details',
  'error',
  'model',
  'output',
  'output_text',
  'service_tier',
  'billing',
  'conversation',
  'prompt',
  'prompt_cache_options',
  'prompt_cache_retention',
  ...Object.keys(writeSettings({})),
  ...knownUsageFields,
]);

export function parseItem(item: JsonObject, drop: (path: string) => void): readonly OutputBlock[] {
  switch (item.type) {
    case 'message':
      dropUnknown(item, knownItemFields, 'output.*', drop);
      return asObjects(item.content).flatMap((part) => parsePart(part, drop));
    case 'function_call':
    case 'custom_tool_call':
      return [parseToolCall(item, drop)];
    default: {
      const reasoning = parseReceivedReasoning(item, 'output.*');
      if (reasoning === undefined) drop(`output.*.${asText(item.type) ?? ''}`);
      return reasoning === undefined ? [] : [reasoning];
    }
  }
}

const knownItemFields: ReadonlySet<string> = new Set(['type', 'id', 'status', 'role', 'content']);

function parsePart(part: JsonObject, drop: (path: string) => void): readonly OutputBlock[] {
  const { type, text, refusal } = part;
  if (type === 'output_text' && typeof text === 'string') {
    dropUnknown(part, knownTextFields, 'output.*.content.*', drop);
    return [parseText(part, text)];
  }
  if (type === 'refusal' && typeof refusal === 'string')
    return [{ kind: 'refusal', text: refusal, extras: { dialect, fields: {} } }];
  drop(`output.*.content.*.${asText(type) ?? ''}`);
  return [];
}

const knownTextFields: ReadonlySet<string> = new Set(['type', 'text', 'annotations', 'logprobs']);

function parseText(part: JsonObject, text: string): TextBlock {
  const citations = asObjects(part.annotations).map(parseCitation);
  return {
    kind: 'text',
    text,
    ...(citations.length > 0 && { citations }),
    logprobs: parseLogprobs(part.logprobs),
    extras: { dialect, fields: {} },
  };
}

/** Undefined if there are none. */
export function parseLogprobs(logprobs: unknown): Logprobs | undefined {
  const list = asObjects(logprobs);
  return list.length === 0 ? undefined : { list, path: 'output.*.content.*.logprobs' };
}

/** Parses one of a text part's `annotations`. */
export function parseCitation(annotation: JsonObject): Citation {
  return parseUrlCitation(annotation.type === 'url_citation' ? annotation : undefined, {
    path: 'output.*.content.*.annotations',
    quote: annotation.content,
    unshared: [],
  });
}

function parseToolCall(item: JsonObject, drop: (path: string) => void): ToolCallBlock {
  const isCustom = item.type === 'custom_tool_call';
  dropUnknown(withoutDirectCaller(item), knownCallFields, 'output.*', drop);
  return {
    kind: 'tool-call',
    id: asText(item.call_id) ?? '',
    name: asText(item.name) ?? '',
    input: parseInput(item),
    isCustom,
    extras: { dialect, fields: {} },
    path: 'output.*',
    inputPath: argumentsPath,
  };
}

export const argumentsPath = 'output.*.arguments';

/** The input of a call, as text. */
export function parseInput({ type, arguments: json, input }: JsonObject): string {
  return type === 'custom_tool_call' ? (asText(input) ?? '') : argumentsText(json);
}

const knownCallFields: ReadonlySet<string> = new Set([
  'type',
  'id',
  'status',
  'call_id',
  'name',
  'arguments',
  'input',
]);

function dropUnknown(
  part: JsonObject,
  known: ReadonlySet<string>,
  path: string,
  drop: (path: string) => void,
): void {
  for (const field of unknownFields(part, known)) drop(`${path}.${field}`);
}

/** Writes the body of a response, which repeats the settings of the request. */
export function writeCompletion(completion: Completion, context: CompletionContext): WrittenCompletion {
  const { model, content: blocks, usage, extras, stop } = completion;
  const dropped = new Set(stopLosses(stop));
  const id = responseId(idPrefix, completion.id, context.requestId);
  const created = completion.created ?? context.created;
  const status = writeStop(stop);
  const isComplete = status.status === 'completed';
  const body = {
    id,
    object: 'response',
    created_at: created,
    ...status,
    completed_at: isComplete ? Math.max(created, context.created) : null,
    error: null,
    model: model ?? context.model,
    output: writeItems(blocks, id, isComplete, (path) => dropped.add(path)),
    usage: usage === undefined ? null : writeUsage(usage),
    service_tier: asText(extras.service_tier) ?? 'default',
    access_programs: null,
    ...writeSettings(context.request),
  };
  const missing = usage === undefined ? [] : findMissingCounts(usage);
  return { body, dropped: [...dropped], missing };
}

/** Consecutive texts are one message. If the response was cut off, it was in the last item. */
function writeItems(
  blocks: readonly OutputBlock[],
  responseId: string,
  isComplete: boolean,
  drop: (path: string) => void,
): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let openMessage: JsonObject[] | undefined;
  for (const block of blocks) {
    const index = items.length;
    if (isSaid(block)) {
      if (openMessage === undefined) {
        openMessage = [];
        items.push(writeMessage(openMessage, responseId, index));
      }
      openMessage.push(writePart(block, drop));
    } else {
      openMessage = undefined;
      items.push(writeItem(block, responseId, index));
    }
  }
  const last = items.at(-1);
  if (isComplete || last?.status === undefined) return items;
  return [...items.slice(0, -1), { ...last, status: 'incomplete' }];
}

function writeMessage(content: readonly JsonObject[], responseId: string, index: number): JsonObject {
  const id = itemId('message', responseId, index);
  return { id, type: 'message', status: 'completed', role: 'assistant', content };
}

function isSaid(block: OutputBlock): block is TextBlock | RefusalBlock {
  return block.kind === 'text' || block.kind === 'refusal';
}

export function writePart(block: TextBlock | RefusalBlock, drop: (path: string) => void): JsonObject {
  if (block.kind === 'refusal') {
    if (block.logprobs !== undefined) drop(block.logprobs.path);
    return { type: 'refusal', refusal: block.text };
  }
  const { text, citations = [], logprobs } = block;
  return {
    type: 'output_text',
    text,
    annotations: writeAnnotations(citations, { start: 0, end: text.length }, (fields) => fields, drop),
    // Chat completions may have null where this dialect has a list.
    logprobs: (logprobs?.list ?? []).map(withLists),
  };
}

export function withLists(logprob: JsonObject): JsonObject {
  const { token, logprob: value, bytes, top_logprobs: top } = logprob;
  return {
    token,
    logprob: value,
    bytes: bytes ?? [],
    top_logprobs: asObjects(top).map((each) => ({ ...each, bytes: each.bytes ?? [] })),
  };
}

function writeItem(
  block: Exclude<OutputBlock, TextBlock | RefusalBlock>,
  responseId: string,
  index: number,
): JsonObject {
  if (block.kind === 'reasoning')
    return { id: itemId('reasoning', responseId, index), ...writeReasoning(block) };
  const { name, input, isCustom, namespace } = block;
  return {
    id: itemId(isCustom ? 'custom' : 'function', responseId, index),
    type: isCustom ? 'custom_tool_call' : 'function_call',
    status: 'completed',
    call_id: block.id || toolCallId(responseId, index),
    name,
    ...(isCustom ? { input } : { arguments: input }),
    ...(namespace !== undefined && { namespace }),
  };
}
