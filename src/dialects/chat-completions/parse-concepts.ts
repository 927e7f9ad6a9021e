import {
  type Concept,
  type ConceptParsers,
  dialectSpecific,
  parseAs,
  parseBoolean,
  type ToolConcept,
} from '../concepts.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { parseReasoning, reasoningVisibility } from '../reasoning-concepts.ts';
import { parseStopSequences } from '../stop-sequences.ts';
import { parseToolChoice } from '../tool-choice-concepts.ts';
import { isWebSearch, parseFunction, parseTools } from '../tool-concepts.ts';

/** For each field that says something in other words than other dialects. */
export const conceptParsers: ConceptParsers = {
  max_tokens: parseAs('tokenLimit'),
  max_completion_tokens: parseAs('tokenLimit'),
  stop: parseStopSequences,
  top_logprobs: parseAs('topLogprobs'),

  tools: (tools, from) => parseTools(tools, from, readTool),
  functions: (functions, from) => parseTools(functions, from, (definition) => parseFunction(definition)),
  tool_choice: (choice, from) => [parseToolChoice(unnest(choice), from)],
  function_call: (choice, from) => [
    parseToolChoice(isJsonObject(choice) ? { ...choice, type: 'function' } : choice, from),
  ],
  parallel_tool_calls: parseBoolean((value, from) => ({ kind: 'parallelToolCalls', value, from })),

  reasoning: parseReasoning,
  reasoning_effort: parseAs('reasoningEffort'),
  include_reasoning: parseBoolean(reasoningVisibility),
  verbosity: parseAs('verbosity'),
  response_format: readFormat,
  // Only here can a model speak.
  modalities: (value, from) => {
    const isShared = Array.isArray(value) && !value.includes('audio');
    return [isShared ? { kind: 'field', value: { name: from, value }, from } : dialectSpecific(from)];
  },
};

function readTool(tool: JsonObject): ToolConcept | undefined {
  const { type, function: definition, ...extras } = tool;
  if (type === 'function' && isJsonObject(definition)) return parseFunction(definition, extras);
  if (type === 'custom' && isJsonObject(tool.custom))
    return { type: 'custom', definition: readCustom(tool.custom) };
  return isWebSearch(tool) ? { type: 'web-search', tool: flatSearch(tool) } : undefined;
}

/** The parts of a grammar stand one level deeper here. */
function readCustom(definition: JsonObject): JsonObject {
  const { format } = definition;
  if (!isJsonObject(format) || !isJsonObject(format.grammar)) return definition;
  const { grammar, ...rest } = format;
  return { ...definition, format: { ...rest, ...grammar } };
}

/** Its options may stand in `parameters` or beside it. */
function flatSearch({ parameters, ...tool }: JsonObject): JsonObject {
  return isJsonObject(parameters) ? { ...tool, ...parameters } : tool;
}

/** The choice of a tool, with what says which one at the top. */
function unnest(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { function: called, custom, allowed_tools: allowed, ...rest } = choice;
  const inner = [called, custom, allowed].find(isJsonObject) ?? {};
  const tools = Array.isArray(inner.tools) ? { tools: inner.tools.map(unnest) } : {};
  return { ...rest, ...inner, ...tools };
}

function readFormat(format: unknown, from: string): readonly Concept[] {
  if (!isJsonObject(format)) return [dialectSpecific(from)];
  const { type, json_schema: definition } = format;
  if (type === 'text' || type === 'json_object') return [{ kind: 'format', value: { type }, from }];
  if (type !== 'json_schema' || !isJsonObject(definition)) return [dialectSpecific(from)];
  const { name, schema, strict, description } = definition;
  const value = { type, name, schema, strict } as const;
  if (description === undefined) return [{ kind: 'format', value, from }];
  const place = `${from}.json_schema.description`;
  return [
    { kind: 'format', value, from },
    { kind: 'formatDescription', value: description, from: place },
  ];
}
