import type { JsonObject } from '../../core/json/json-object.ts';
import { asList, asObjects } from '../../core/json/loose-json.ts';
import type { DialectDefinition } from '../model/dialect.ts';
import { joinSystemPrompt } from '../model/system-prompt.ts';
import { openAiCall, outputLogprobs } from '../openai/call.ts';
import { encryptedReasoning } from '../openai/fit-reasoning.ts';
import { audioPart, refusalPart } from '../openai/part-schemas.ts';
import { fields } from './captured-fields.ts';
import { parseCompletion, writeCompletion } from './completion.ts';
import { parseContent, parsePart, writeContent } from './content.ts';
import { inputFile, inputImage, textPart } from './conversation.ts';
import { errorEvent, errors, hasFinished, startField } from './errors.ts';
import { fitRequest } from './fit-request.ts';
import { isEmpty, isItemReference } from './item-reference.ts';
import { findCustomNames, findNamespacedTools, flattenNamespaces } from './namespaces.ts';
import { conceptParsers, fieldConcepts } from './parse-concepts.ts';
import { createStreamParser } from './parse-stream.ts';
import { isReference, withoutSealed } from './reasoning.ts';
import { responsesRequest } from './schema.ts';
import { findFailure, findFinishReason } from './stop-reason.ts';
import { parseTurns, writeTurns } from './turns.ts';
import { parseUsage } from './usage.ts';
import { writeConcepts } from './write-concepts.ts';
import { createStreamWriter } from './write-stream.ts';

/** OpenAI's Responses, with what OpenRouter adds to it. */
export const responses: DialectDefinition = {
  name: 'responses',
  request: {
    path: '/responses',
    schemaName: 'ResponsesRequest',
    schema: responsesRequest,
    fields,
    conflicts: {},
    minimalConversation: {},
    neutralValues: {
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
    fit: fitRequest,
    lossPaths: {
      reasoning: ['reasoning'],
      stopSequences: ['stop'],
      systemRole: ['input.*.role', 'instructions.role'],
      systemCache: ['input.*.content.*.cache_control'],
    },
  },
  conversation: {
    list: 'input',
    promptField: 'instructions',
    isTextAllowed: true,
    messageFields: { type: 'message' },
    isMessage,
    startsWithUser: false,
    findSystemPrompt: ({ instructions, input }) =>
      typeof instructions === 'string' && instructions !== ''
        ? instructions
        : joinSystemPrompt(instructionsIn(input)),
    promptSource:
      'Without instructions, the text of system and developer items is saved as the system prompt',
    storedFields: ['previous_response_id', 'conversation', 'prompt'],
    findStoredItems: ({ input }) =>
      asList(input).flatMap((item, index) =>
        isItemReference(item) ? [{ path: `/input/${index}`, message: storedItemMessage }] : [],
      ),
    // Some clients send an empty id for a new conversation.
    continuesStored: ({ previous_response_id: id, conversation }) => !isEmpty(id) || !isEmpty(conversation),
    parseTurns,
    writeTurns,
  },
  content: {
    textTypes: { user: 'input_text', assistant: 'output_text' },
    textSchema: textPart,
    presetParts: [
      { type: 'input_image', schema: inputImage, role: 'user', sources: ['image_url', 'file_id'] },
      { type: 'input_file', schema: inputFile, role: 'user', sources: ['file_data', 'file_id', 'file_url'] },
      { type: 'input_audio', schema: audioPart, role: 'user' },
      { type: 'refusal', schema: refusalPart, role: 'assistant' },
    ],
    parseContent,
    parsePart,
    writeContent,
  },
  concepts: {
    parsers: conceptParsers,
    write: writeConcepts,
    fields: fieldConcepts,
    reasoningBudget: { path: ['reasoning', 'max_tokens'] },
  },
  call: openAiCall({ include: [outputLogprobs] }),
  tools: {
    nameLengthMax: 64,
    namePaths: ['tools.*.name', 'tool_choice.name', 'tool_choice.tools.*.name', 'input.*.name'],
    hasCustomTools: true,
    findCustomNames,
    namespaces: { find: findNamespacedTools, flatten: flattenNamespaces },
  },
  reasoning: {
    isPart: ({ type }) => type === 'reasoning',
    isReference,
    withoutSealed,
    path: 'input.*.reasoning',
  },
  completion: {
    parse: parseCompletion,
    write: writeCompletion,
    parseUsage,
    findFinishReason,
    findFailure,
  },
  stream: {
    createParser: createStreamParser,
    createWriter: createStreamWriter,
    startsWithUsage: false,
    hasFinished,
    errorEvent,
    startField,
  },
  errors,
  hints: { isTool: (tool) => 'type' in tool && tool.type === 'function' && 'name' in tool },
};

/**
 * An item with a type of its own is not a message, whatever its role. Servers read an empty type
 * like a missing one.
 */
function isMessage({ type }: JsonObject): boolean {
  return typeof type !== 'string' || type === '' || /^message$/i.test(type);
}

/** The contents of system and developer messages. Only `message` is a valid type of a message. */
function instructionsIn(input: unknown): readonly unknown[] {
  return asObjects(input)
    .filter(({ type }) => type === undefined || type === 'message')
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => content);
}

const storedItemMessage =
  'refers to an item that is not stored; send the item itself, as SDKs do with "store": false';
