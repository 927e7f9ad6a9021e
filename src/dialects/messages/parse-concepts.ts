import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import {
  type Concept,
  type ConceptParsers,
  dialectSpecific,
  parseAs,
  parseBoolean,
  parseParts,
  reasoningVisibility,
  type ToolConcept,
} from '../model/concepts.ts';
import type { FieldConcepts } from '../model/dialect.ts';
import { parseFunction, parseTools } from '../model/tool-concepts.ts';

/**
 * The fields that other dialects express differently. Fields that are missing here are copied to
 * dialects that share them. Of two fields for the same concept, the later one in this list wins.
 */
export const conceptParsers: ConceptParsers = {
  max_tokens: parseAs('tokenLimit'),
  stop_sequences: (value, path) => [
    Array.isArray(value) ? { kind: 'stopSequences', value, path } : dialectSpecific(path),
  ],
  fallbacks: (fallbacks, path) => [
    Array.isArray(fallbacks)
      ? { kind: 'fallbackModels', value: fallbacks.map(modelOf), path }
      : dialectSpecific(path),
  ],

  tools: (tools, path) => parseTools(tools, path, parseTool),
  tool_choice: parseToolChoice,

  thinking: parseThinking,
  output_config: (config, path) =>
    parseParts(config, path, { effort: parseAs('reasoningEffort'), format: parseFormat }),
  output_format: parseFormat,
};

function modelOf(fallback: unknown): unknown {
  return isJsonObject(fallback) ? fallback.model : fallback;
}

/** Anthropic's server tools have a type instead of a schema; no other dialect has them. */
function parseTool(tool: JsonObject): ToolConcept | undefined {
  const { type, input_schema: parameters, ...definition } = tool;
  const isClientTool = type === undefined || type === null || type === 'custom';
  return isClientTool ? parseFunction({ ...definition, parameters }, 'other') : undefined;
}

/** One field yields two concepts here: the choice, and whether calls may be parallel. */
function parseToolChoice(choice: unknown, path: string): readonly Concept[] {
  if (!isJsonObject(choice)) return [dialectSpecific(path)];
  const { type, name, ...rest } = choice;
  return [toChoiceConcept(type, name, path), ...parseParts(rest, path, parallelParsers)];
}

function toChoiceConcept(type: unknown, name: unknown, path: string): Concept {
  if (type === 'auto' || type === 'none') return { kind: 'toolChoice', value: { type }, path };
  if (type === 'any') return { kind: 'toolChoice', value: { type: 'required' }, path };
  if (type === 'tool') return { kind: 'toolChoice', value: { type: 'function', name }, path };
  return dialectSpecific(path);
}

const parallelParsers: ConceptParsers = {
  disable_parallel_tool_use: parseBoolean((isDisabled, path) => ({
    kind: 'parallelToolCalls',
    value: !isDisabled,
    path,
  })),
};

/** `between_tools` and unknown types have no counterpart, so the whole field is dropped. */
function parseThinking(thinking: unknown, path: string): readonly Concept[] {
  if (!isJsonObject(thinking)) return [dialectSpecific(path)];
  const { type, ...parts } = thinking;
  const isKnown = type === 'enabled' || type === 'adaptive' || type === 'disabled';
  if (!isKnown) return [dialectSpecific(path)];
  return [
    { kind: 'isReasoning', value: type !== 'disabled', path },
    ...parseParts(parts, path, thinkingParsers),
  ];
}

const thinkingParsers: ConceptParsers = {
  budget_tokens: parseAs('reasoningTokens'),
  display: (display, path) => {
    const isKnown = display === 'summarized' || display === 'omitted';
    return [isKnown ? reasoningVisibility(display === 'summarized', path) : dialectSpecific(path)];
  },
};

/** Anthropic always enforces the schema, hence `strict`. */
function parseFormat(format: unknown, path: string): readonly Concept[] {
  if (!isJsonObject(format) || format.type !== 'json_schema') return [dialectSpecific(path)];
  const { type, schema } = format;
  const origin = { schemaPath: 'schema', schemaOrigin: 'other' } as const;
  return [{ kind: 'format', value: { type, name: undefined, schema, strict: true, ...origin }, path }];
}

/** Which concepts each field can express, whatever its value. */
export const fieldConcepts: FieldConcepts = [
  [['max_tokens'], ['tokenLimit']],
  [['stop_sequences'], ['stopSequences']],
  [['models'], ['fallbackModels']],
  [['fallbacks'], ['fallbackModels']],
  [['tools'], ['tool']],
  [['tool_choice'], ['toolChoice']],
  [['tool_choice', 'disable_parallel_tool_use'], ['parallelToolCalls']],
  [['thinking'], ['isReasoning', 'reasoningTokens']],
  [
    ['thinking', 'display'],
    ['reasoningVisibility', 'reasoningSummary'],
  ],
  [['output_config', 'effort'], ['reasoningEffort']],
  [
    ['output_config', 'format'],
    ['format', 'formatDescription'],
  ],
  [['output_format'], ['format', 'formatDescription']],
];
