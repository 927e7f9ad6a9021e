import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import {
  type ConceptParsers,
  parseAs,
  parseBoolean,
  parseParts,
  type ToolConcept,
} from '../model/concepts.ts';
import type { FieldConcepts } from '../model/dialect.ts';
import { parseFunction, parseTools } from '../model/tool-concepts.ts';
import { isWebSearch } from '../model/tool-identity.ts';
import {
  openAiFieldConcepts,
  parseFormat,
  parseReasoning,
  parseStopSequences,
  parseToolChoice,
} from '../openai/concepts.ts';

/**
 * The fields that other dialects express differently. Fields that are missing here are copied to
 * dialects that share them. Of two fields for the same concept, the later one in this list wins.
 */
export const conceptParsers: ConceptParsers = {
  max_output_tokens: parseAs('tokenLimit'),
  stop: parseStopSequences,
  top_logprobs: parseAs('topLogprobs'),

  tools: (tools, path) => parseTools(tools, path, parseTool),
  tool_choice: (choice, path) => [parseToolChoice(choice, path)],
  parallel_tool_calls: parseBoolean((value, path) => ({ kind: 'parallelToolCalls', value, path })),

  reasoning: parseReasoning,
  text: (text, path) => parseParts(text, path, textParsers),
};

const textParsers: ConceptParsers = {
  format: (format, path) => parseFormat(format, format, path, ''),
  verbosity: parseAs('verbosity'),
};

/** Definitions are flat here. OpenAI's other hosted tools have no counterpart elsewhere. */
function parseTool(tool: JsonObject): ToolConcept | undefined {
  const { type, ...definition } = tool;
  if (type === 'function') return parseFunction(definition, 'openai');
  if (type === 'custom') return { type: 'custom', definition };
  return isWebSearch(tool) ? { type: 'web-search', tool: flattenWebSearch(tool) } : undefined;
}

/** Flattens the domain filters. Excluded domains have two names; `excluded_domains` wins. */
function flattenWebSearch({ filters, ...tool }: JsonObject): JsonObject {
  if (!isJsonObject(filters)) return tool;
  const { blocked_domains: blocked, ...rest } = filters;
  return { ...tool, ...(blocked !== undefined && { excluded_domains: blocked }), ...rest };
}

/** Which concepts each field can express, whatever its value. */
export const fieldConcepts: FieldConcepts = [
  [['max_output_tokens'], ['tokenLimit']],
  ...openAiFieldConcepts,
  [
    ['text', 'format'],
    ['format', 'formatDescription'],
  ],
  [['text', 'verbosity'], ['verbosity']],
];
