import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject } from '../../core/json/loose-json.ts';
import {
  type ConceptParsers,
  dialectSpecific,
  parseAs,
  parseBoolean,
  reasoningVisibility,
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
  max_tokens: parseAs('tokenLimit'),
  max_completion_tokens: parseAs('tokenLimit'),
  stop: parseStopSequences,
  top_logprobs: parseAs('topLogprobs'),

  tools: (tools, path) => parseTools(tools, path, parseTool),
  functions: (functions, path) =>
    parseTools(functions, path, (definition) => parseFunction(definition, 'openai')),
  tool_choice: (choice, path) => [parseToolChoice(unnest(choice), path)],
  function_call: (choice, path) => [
    parseToolChoice(isJsonObject(choice) ? { ...choice, type: 'function' } : choice, path),
  ],
  parallel_tool_calls: parseBoolean((value, path) => ({ kind: 'parallelToolCalls', value, path })),

  reasoning: parseReasoning,
  reasoning_effort: parseAs('reasoningEffort'),
  include_reasoning: parseBoolean(reasoningVisibility),
  verbosity: parseAs('verbosity'),
  response_format: (format, path) => parseFormat(format, asObject(format).json_schema, path, 'json_schema.'),
  // Responses has no audio output.
  modalities: (value, path) => {
    const isShared = Array.isArray(value) && !value.includes('audio');
    return [isShared ? { kind: 'field', value: { name: path, value }, path } : dialectSpecific(path)];
  },
};

/** Definitions are nested here. What is next to them, such as `cache_control`, becomes an extra. */
function parseTool(tool: JsonObject): ToolConcept | undefined {
  const { type, function: definition, ...extras } = tool;
  if (type === 'function' && isJsonObject(definition)) return parseFunction(definition, 'openai', extras);
  if (type === 'custom' && isJsonObject(tool.custom))
    return { type: 'custom', definition: parseCustomTool(tool.custom) };
  return isWebSearch(tool) ? { type: 'web-search', tool: flattenWebSearch(tool) } : undefined;
}

/** Flattens the grammar, which chat completions nests one level deeper than responses. */
function parseCustomTool(definition: JsonObject): JsonObject {
  const { format } = definition;
  if (!isJsonObject(format) || !isJsonObject(format.grammar)) return definition;
  const { grammar, ...rest } = format;
  return { ...definition, format: { ...rest, ...grammar } };
}

/** Options may be in `parameters` or at the top level. */
function flattenWebSearch({ parameters, ...tool }: JsonObject): JsonObject {
  return isJsonObject(parameters) ? { ...tool, ...parameters } : tool;
}

/** Converts a tool choice to the flat form of responses. */
function unnest(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { function: called, custom, allowed_tools: allowed, ...rest } = choice;
  const inner = [called, custom, allowed].find(isJsonObject) ?? {};
  const tools = Array.isArray(inner.tools) ? { tools: inner.tools.map(unnest) } : {};
  return { ...rest, ...inner, ...tools };
}

/** Which concepts each field can express, whatever its value. */
export const fieldConcepts: FieldConcepts = [
  [['max_tokens'], ['tokenLimit']],
  [['max_completion_tokens'], ['tokenLimit']],
  ...openAiFieldConcepts,
  [['functions'], ['tool']],
  [['function_call'], ['toolChoice']],
  // Messages turns thinking on for an effort.
  [['reasoning_effort'], ['reasoningEffort', 'isReasoning']],
  [['include_reasoning'], ['reasoningVisibility']],
  [['response_format'], ['format', 'formatDescription']],
  [['verbosity'], ['verbosity']],
];
