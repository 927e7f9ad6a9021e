import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects, asText, asTime } from '../../core/json/loose-json.ts';
import { parseUrlCitation, type TextRange } from '../model/citations.ts';
import type {
  Completion,
  CompletionContext,
  ParsedCompletion,
  WrittenCompletion,
} from '../model/completion.ts';
import type { Citation, Logprobs, RefusalBlock, TextBlock } from '../model/content.ts';
import { responseId, toolCallId } from '../model/response-ids.ts';
import { agreeWithCalls } from '../model/stop.ts';
import { argumentsText } from '../model/tool-input.ts';
import {
  isReasoning,
  isRefusal,
  isText,
  isToolCall,
  type OutputBlock,
  type ToolCallBlock,
} from '../model/turns.ts';
import { unknownFields } from '../model/unknown-fields.ts';
import { writeAnnotations } from '../openai/citations.ts';
import { stopLosses } from '../openai/stop.ts';
import { parseSignature } from './call-signature.ts';
import { parseReceivedReasoning, writeReasoning } from './reasoning.ts';
import { parseStop, writeStop } from './stop-reason.ts';
import { findMissingCounts, knownUsageFields, parseUsage, writeUsage } from './usage.ts';

const dialect = 'chat-completions';

/** Parses the body of a response. Only the first choice can be translated. */
export function parseCompletion(body: JsonObject): ParsedCompletion {
  const [choice = {}, ...others] = asObjects(body.choices);
  const dropped = new Set([
    ...unknownFields(body, knownFields),
    ...choiceLosses(choice),
    ...others.map((_, index) => `choices.${index + 1}`),
  ]);
  const drop = (path: string) => dropped.add(path);
  const completion: Completion = {
    id: asText(body.id),
    model: asText(body.model),
    created: asTime(body.created),
    content: parseMessage(choice, drop),
    stop: parseStop(choice, drop),
    usage: parseUsage(body.usage),
    extras: { service_tier: body.service_tier },
  };
  return { completion, dropped: [...dropped] };
}

const knownFields: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'service_tier',
  ...knownUsageFields,
]);

/** The fields of a choice that have no place elsewhere, as paths. */
export function choiceLosses(choice: JsonObject): readonly string[] {
  return unknownFields(choice, knownChoiceFields, 'choices.*.');
}

/** Fields that are translated, or that only repeat the finish reason or the content. */
const knownChoiceFields: ReadonlySet<string> = new Set(
  [
    'index',
    'finish_reason',
    'native_finish_reason',
    'stop_reason',
    'logprobs.content',
    'logprobs.refusal',
    'message.role',
    'message.content',
    'message.refusal',
    'message.reasoning',
    'message.reasoning_content',
    'message.reasoning_details',
    'message.annotations',
    'message.tool_calls',
    'message.function_call',
  ].map((name) => `choices.*.${name}`),
);

/** In the order in which models produce them, which this dialect does not say. */
function parseMessage(choice: JsonObject, drop: (path: string) => void): readonly OutputBlock[] {
  const message = asObject(choice.message);
  const logprobs = asObject(choice.logprobs);
  const citations = asObjects(message.annotations).map(parseCitation);
  const [first, ...texts] = parseTexts(message, drop);
  if (first === undefined && citations.length > 0) drop('choices.*.message.annotations');
  if (first === undefined && asObjects(logprobs.content).length > 0) drop('choices.*.logprobs');
  const { function_call: legacyCall } = message;
  return [
    ...parseReceivedReasoning(message, 'choices.*.message'),
    ...(first === undefined
      ? []
      : [
          {
            ...first,
            ...(citations.length > 0 && { citations }),
            logprobs: parseLogprobs(logprobs.content),
          },
        ]),
    ...texts,
    ...parseRefusal(message.refusal, logprobs.refusal),
    ...asObjects(message.tool_calls).flatMap((call) => [...signatureOf(call), ...parseToolCall(call, drop)]),
    ...(isJsonObject(legacyCall) ? parseToolCall({ function: legacyCall }, drop) : []),
  ];
}

/** Models that speak have no content but a transcript. */
function parseTexts({ content, audio }: JsonObject, drop: (path: string) => void): readonly TextBlock[] {
  const said = (content ?? '') === '' ? asObject(audio).transcript : content;
  if (typeof said === 'string') return said === '' ? [] : [toText(said)];
  return asObjects(said).flatMap(({ type, text }) => {
    if (type === 'text' && typeof text === 'string') return [toText(text)];
    drop(`choices.*.message.content.*.${asText(type) ?? ''}`);
    return [];
  });
}

function toText(text: string): TextBlock {
  return { kind: 'text', text, extras: noExtras };
}

function parseRefusal(refusal: unknown, logprobs: unknown): readonly RefusalBlock[] {
  if (typeof refusal !== 'string' || refusal === '') return [];
  return [{ kind: 'refusal', text: refusal, logprobs: parseLogprobs(logprobs), extras: noExtras }];
}

const noExtras = { dialect, fields: {} } as const;

/** Undefined if there are none. */
export function parseLogprobs(logprobs: unknown): Logprobs | undefined {
  const list = asObjects(logprobs);
  return list.length === 0 ? undefined : { list, path: 'choices.*.logprobs' };
}

/** Parses one of a message's `annotations`. */
export function parseCitation({ type, url_citation: fields }: JsonObject): Citation {
  return parseUrlCitation(type === 'url_citation' ? fields : undefined, {
    path: 'choices.*.message.annotations',
    quote: asObject(fields).content,
    unshared: [],
  });
}

function signatureOf(call: JsonObject): readonly OutputBlock[] {
  const signature = parseSignature(call);
  return signature === undefined ? [] : [signature];
}

/** The id may be missing, and always is in the deprecated `function_call`. */
function parseToolCall(call: JsonObject, drop: (path: string) => void): readonly ToolCallBlock[] {
  const isCustom = isJsonObject(call.custom);
  const called = asObject(isCustom ? call.custom : call.function);
  if (typeof called.name !== 'string') {
    drop('choices.*.message.tool_calls');
    return [];
  }
  for (const path of callLosses(call)) drop(path);
  return [
    {
      kind: 'tool-call',
      id: asText(call.id) ?? '',
      name: called.name,
      input: isCustom ? (asText(called.input) ?? '') : argumentsText(called.arguments),
      isCustom,
      extras: noExtras,
      path: 'choices.*.message.tool_calls.*',
      inputPath: argumentsPath,
    },
  ];
}

export const argumentsPath = 'choices.*.message.tool_calls.*.function.arguments';

/** The fields of a tool call that have no place elsewhere, as paths. */
export function callLosses(call: JsonObject): readonly string[] {
  return unknownFields(call, knownCallFields).map((field) => `choices.*.message.tool_calls.*.${field}`);
}

const knownCallFields: ReadonlySet<string> = new Set([
  'id',
  'type',
  'index',
  'extra_content',
  'function.name',
  'function.arguments',
  'custom.name',
  'custom.input',
]);

/** Writes the body of a response with one choice. */
export function writeCompletion(completion: Completion, context: CompletionContext): WrittenCompletion {
  const { model, created, content: blocks, stop, usage, extras } = completion;
  const calls = blocks.filter(isToolCall);
  const id = responseId(idPrefix, completion.id, context.requestId);
  const dropped = new Set(stopLosses(stop));
  const body = {
    id,
    object: 'chat.completion',
    created: created ?? context.created,
    model: model ?? context.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          ...writeMessage(blocks, (path) => dropped.add(path)),
          ...(calls.length > 0 && { tool_calls: calls.map((call, index) => writeToolCall(call, id, index)) }),
        },
        logprobs: writeLogprobs(blocks.filter(isText)),
        ...writeStop(agreeWithCalls(stop, calls.length > 0)),
      },
    ],
    ...(usage !== undefined && { usage: writeUsage(usage) }),
    ...(typeof extras.service_tier === 'string' && { service_tier: extras.service_tier }),
    system_fingerprint: null,
  };
  return {
    body,
    dropped: [...dropped],
    missing: usage === undefined ? [] : findMissingCounts(usage),
  };
}

/** The prefix of the ids of completions. */
export const idPrefix = 'chatcmpl-';

/** Texts are joined as they were said. */
function writeMessage(blocks: readonly OutputBlock[], drop: (path: string) => void): JsonObject {
  const texts = blocks.filter(isText);
  const refusals = blocks.filter(isRefusal);
  let end = 0;
  const annotations = texts.flatMap(({ text, citations = [] }) => {
    const start = end;
    end += text.length;
    return writeCitations(citations, { start, end }, drop);
  });
  const hasOthers = refusals.length > 0 || blocks.some(isToolCall);
  return {
    content: texts.length === 0 && hasOthers ? null : texts.map(({ text }) => text).join(''),
    refusal: refusals.length === 0 ? null : refusals.map(({ text }) => text).join(''),
    ...writeReasoning(blocks.filter(isReasoning)),
    ...(annotations.length > 0 && { annotations }),
  };
}

/** `range` is where the text of the citations is in the content. */
export function writeCitations(
  citations: readonly Citation[],
  range: TextRange,
  drop: (path: string) => void,
): readonly JsonObject[] {
  return writeAnnotations(citations, range, (fields) => ({ url_citation: fields }), drop);
}

/** No other dialect has those of a refusal. */
function writeLogprobs(texts: readonly TextBlock[]): JsonObject | null {
  const content = texts.flatMap(({ logprobs }) => logprobs?.list ?? []);
  return content.length === 0 ? null : { content, refusal: null };
}

function writeToolCall(call: ToolCallBlock, responseId: string, index: number): JsonObject {
  const { name, input, isCustom } = call;
  const id = call.id || toolCallId(responseId, index);
  return isCustom
    ? { id, type: 'custom', custom: { name, input } }
    : { id, type: 'function', function: { name, arguments: input } };
}
