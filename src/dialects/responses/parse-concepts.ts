import {
  type Concept,
  type ConceptParsers,
  dialectSpecific,
  parseAs,
  parseBoolean,
  parseParts,
  type ToolConcept,
} from '../concepts.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { parseReasoning } from '../reasoning-concepts.ts';
import { parseStopSequences } from '../stop-sequences.ts';
import { parseToolChoice } from '../tool-choice-concepts.ts';
import { isWebSearch, parseFunction, parseTools } from '../tool-concepts.ts';

/** For each field that says something in other words than other dialects. */
export const conceptParsers: ConceptParsers = {
  max_output_tokens: parseAs('tokenLimit'),
  stop: parseStopSequences,
  top_logprobs: parseAs('topLogprobs'),

  tools: (tools, from) => parseTools(tools, from, readTool),
  tool_choice: (choice, from) => [parseToolChoice(choice, from)],
  parallel_tool_calls: parseBoolean((value, from) => ({ kind: 'parallelToolCalls', value, from })),

  reasoning: parseReasoning,
  text: (text, from) => parseParts(text, from, { format: readFormat, verbosity: parseAs('verbosity') }),
};

function readTool(tool: JsonObject): ToolConcept | undefined {
  const { type, ...definition } = tool;
  if (type === 'function') return parseFunction(definition);
  if (type === 'custom') return { type: 'custom', definition };
  return isWebSearch(tool) ? { type: 'web-search', tool: flatSearch(tool) } : undefined;
}

/** Domains stand one level deeper here, and those that are left out have two names. */
function flatSearch({ filters, ...tool }: JsonObject): JsonObject {
  if (!isJsonObject(filters)) return tool;
  const { blocked_domains: blocked, ...rest } = filters;
  return { ...tool, ...(blocked !== undefined && { excluded_domains: blocked }), ...rest };
}

function readFormat(format: unknown, from: string): readonly Concept[] {
  if (!isJsonObject(format)) return [dialectSpecific(from)];
  const { type, name, schema, strict, description } = format;
  if (type === 'text' || type === 'json_object') return [{ kind: 'format', value: { type }, from }];
  if (type !== 'json_schema') return [dialectSpecific(from)];
  const concept: Concept = { kind: 'format', value: { type, name, schema, strict }, from };
  if (description === undefined) return [concept];
  return [concept, { kind: 'formatDescription', value: description, from: `${from}.description` }];
}
