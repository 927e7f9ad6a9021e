import {
  type Concept,
  dialectSpecific,
  type Readers,
  readParts,
  reads,
  readsBoolean,
  type ToolConcept,
} from '../concepts.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { readReasoning } from '../reasoning-concepts.ts';
import { readStop } from '../stop-sequences.ts';
import { readChoice } from '../tool-choice-concepts.ts';
import { isWebSearch, readFunction, readTools } from '../tool-concepts.ts';

/** For each field that says something in other words than other dialects. */
export const readers: Readers = {
  max_output_tokens: reads('tokenLimit'),
  stop: readStop,
  top_logprobs: reads('topLogprobs'),

  tools: (tools, from) => readTools(tools, from, readTool),
  tool_choice: (choice, from) => [readChoice(choice, from)],
  parallel_tool_calls: readsBoolean((value, from) => ({ kind: 'parallelToolCalls', value, from })),

  reasoning: readReasoning,
  text: (text, from) => readParts(text, from, { format: readFormat, verbosity: reads('verbosity') }),
};

function readTool(tool: JsonObject): ToolConcept | undefined {
  const { type, ...definition } = tool;
  if (type === 'function') return readFunction(definition);
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
