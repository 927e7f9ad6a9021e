import { isJsonObject, type JsonObject } from '../json-object.ts';
import { isWebSearch } from '../tool-identity.ts';
import {
  type Concept,
  type ConceptParsers,
  dialectSpecific,
  parseAs,
  parseBoolean,
  parseParts,
  type ToolConcept,
} from '../translate/concepts.ts';
import { parseReasoning, parseStopSequences, parseToolChoice } from '../translate/openai-concepts.ts';
import { parseFunction, parseTools } from '../translate/tool-concepts.ts';

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
  text: (text, path) => parseParts(text, path, { format: parseFormat, verbosity: parseAs('verbosity') }),
};

/** Definitions are flat here. OpenAI's other hosted tools have no counterpart elsewhere. */
function parseTool(tool: JsonObject): ToolConcept | undefined {
  const { type, ...definition } = tool;
  if (type === 'function') return parseFunction(definition);
  if (type === 'custom') return { type: 'custom', definition };
  return isWebSearch(tool) ? { type: 'web-search', tool: flattenWebSearch(tool) } : undefined;
}

/** Flattens the domain filters. Excluded domains have two names; `excluded_domains` wins. */
function flattenWebSearch({ filters, ...tool }: JsonObject): JsonObject {
  if (!isJsonObject(filters)) return tool;
  const { blocked_domains: blocked, ...rest } = filters;
  return { ...tool, ...(blocked !== undefined && { excluded_domains: blocked }), ...rest };
}

/** The description is a concept of its own, so that a dialect without it drops only that. */
function parseFormat(format: unknown, path: string): readonly Concept[] {
  if (!isJsonObject(format)) return [dialectSpecific(path)];
  const { type, name, schema, strict, description } = format;
  if (type === 'text' || type === 'json_object') return [{ kind: 'format', value: { type }, path }];
  if (type !== 'json_schema') return [dialectSpecific(path)];
  const value = { type, name, schema, schemaPath: 'schema', strict } as const;
  const concept: Concept = { kind: 'format', value, path };
  if (description === undefined) return [concept];
  return [concept, { kind: 'formatDescription', value: description, path: `${path}.description` }];
}
