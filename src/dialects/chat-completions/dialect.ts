import { isJsonObject } from '../../core/json/json-object.ts';
import { asObjects } from '../../core/json/loose-json.ts';
import type { DialectDefinition } from '../model/dialect.ts';
import { findLastText } from '../model/find-value.ts';
import { joinSystemPrompt } from '../model/system-prompt.ts';
import { openAiCall } from '../openai/call.ts';
import { audioPart, refusalPart } from '../openai/part-schemas.ts';
import { conflicts, fields } from './captured-fields.ts';
import { parseCompletion, writeCompletion } from './completion.ts';
import { parseContent, parsePart, writeContent } from './content.ts';
import { filePart, imagePart, textPart } from './conversation.ts';
import { errorEvent, errors, hasFinished } from './errors.ts';
import { fitRequest, fitTurn } from './fit-request.ts';
import { conceptParsers, fieldConcepts } from './parse-concepts.ts';
import { createStreamParser } from './parse-stream.ts';
import { isReasoningPart, withoutSealed } from './reasoning.ts';
import { chatCompletionsRequest } from './schema.ts';
import { findFailure } from './stop-reason.ts';
import { parseTurns, writeTurns } from './turns.ts';
import { parseUsage } from './usage.ts';
import { writeConcepts } from './write-concepts.ts';
import { createStreamWriter } from './write-stream.ts';

/** OpenAI's Chat Completions, with what OpenRouter adds to it. */
export const chatCompletions: DialectDefinition = {
  name: 'chat-completions',
  request: {
    path: '/chat/completions',
    schemaName: 'ChatCompletionsRequest',
    schema: chatCompletionsRequest,
    fields,
    conflicts,
    minimalConversation: { messages: [{ role: 'user', content: '' }] },
    neutralValues: {
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
    isLost: (name) => name === 'prediction',
    fit: fitRequest,
    lossPaths: {
      reasoning: ['reasoning', 'reasoning_effort'],
      reasoningVisibility: ['reasoning.exclude', 'include_reasoning'],
      stopSequences: ['stop'],
      systemRole: ['messages.*.role'],
      systemCache: ['messages.*.content.*.cache_control'],
    },
  },
  conversation: {
    list: 'messages',
    // OpenRouter's.
    textField: 'prompt',
    messageFields: {},
    startsWithUser: false,
    findSystemPrompt: ({ messages }) => joinSystemPrompt(instructionsIn(messages)),
    promptSource: 'The text of system and developer messages is saved as the system prompt',
    storedFields: [],
    parseTurns,
    writeTurns,
    fitTurn,
  },
  content: {
    textTypes: { user: 'text', assistant: 'text' },
    textSchema: textPart,
    presetParts: [
      { type: 'image_url', schema: imagePart, role: 'user' },
      {
        type: 'file',
        schema: filePart,
        role: 'user',
        sources: ['file_data', 'file_id'],
        sourceField: 'file',
      },
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
  call: openAiCall({ logprobs: true }),
  tools: {
    nameLengthMax: 64,
    namePaths: [
      'tools.*.function.name',
      'tools.*.custom.name',
      'tool_choice.function.name',
      'tool_choice.custom.name',
      'tool_choice.allowed_tools.tools.*.function.name',
      'tool_choice.allowed_tools.tools.*.custom.name',
      'messages.*.tool_calls.*.function.name',
      'messages.*.tool_calls.*.custom.name',
    ],
    hasCustomTools: true,
    findCustomNames: ({ tools }) =>
      new Set(
        asObjects(tools)
          .map(({ type, custom }) => (type === 'custom' && isJsonObject(custom) ? custom.name : undefined))
          .filter((name) => typeof name === 'string'),
      ),
  },
  reasoning: { isPart: isReasoningPart, withoutSealed, path: 'messages.*.reasoning_details' },
  completion: {
    parse: parseCompletion,
    write: writeCompletion,
    parseUsage,
    findFinishReason: (json) => findLastText(json, 'finish_reason'),
    findFailure: ({ choices }) => findFailure(asObjects(choices)[0] ?? {}),
  },
  stream: {
    createParser: createStreamParser,
    createWriter: createStreamWriter,
    startsWithUsage: false,
    hasFinished,
    errorEvent,
  },
  errors,
  hints: {
    isTool: (tool) => 'function' in tool || 'custom' in tool,
    roles: ['system', 'developer', 'tool', 'function'],
    parts: ['image_url', 'input_audio', 'file'],
  },
};

/** The contents of system and developer messages, regardless of their position. */
function instructionsIn(messages: unknown): readonly unknown[] {
  return asObjects(messages)
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => content);
}
