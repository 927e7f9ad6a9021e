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
import { reasoningVisibility } from '../reasoning-concepts.ts';
import { parseFunction, parseTools } from '../tool-concepts.ts';

/** For each field that says something in other words than other dialects. */
export const conceptParsers: ConceptParsers = {
  max_tokens: parseAs('tokenLimit'),
  stop_sequences: (value, from) => [
    Array.isArray(value) ? { kind: 'stopSequences', value, from } : dialectSpecific(from),
  ],
  fallbacks: (fallbacks, from) => [
    Array.isArray(fallbacks)
      ? { kind: 'fallbackModels', value: fallbacks.map(modelOf), from }
      : dialectSpecific(from),
  ],

  tools: (tools, from) => parseTools(tools, from, readTool),
  tool_choice: readChoice,

  thinking: readThinking,
  output_config: (config, from) =>
    parseParts(config, from, { effort: parseAs('reasoningEffort'), format: readFormat }),
  output_format: readFormat,
};

function modelOf(fallback: unknown): unknown {
  return isJsonObject(fallback) ? fallback.model : fallback;
}

/** Anthropic's own tools have a type and no schema. */
function readTool(tool: JsonObject): ToolConcept | undefined {
  const { type, input_schema: parameters, ...definition } = tool;
  const isOwn = type === undefined || type === null || type === 'custom';
  return isOwn ? parseFunction({ ...definition, parameters }) : undefined;
}

function readChoice(choice: unknown, from: string): readonly Concept[] {
  if (!isJsonObject(choice)) return [dialectSpecific(from)];
  const { type, name, ...rest } = choice;
  return [choiceConcept(type, name, from), ...parseParts(rest, from, parallelReader)];
}

function choiceConcept(type: unknown, name: unknown, from: string): Concept {
  if (type === 'auto' || type === 'none') return { kind: 'toolChoice', value: { type }, from };
  if (type === 'any') return { kind: 'toolChoice', value: { type: 'required' }, from };
  if (type === 'tool') return { kind: 'toolChoice', value: { type: 'function', name }, from };
  return dialectSpecific(from);
}

const parallelReader: ConceptParsers = {
  disable_parallel_tool_use: parseBoolean((isDisabled, from) => ({
    kind: 'parallelToolCalls',
    value: !isDisabled,
    from,
  })),
};

function readThinking(thinking: unknown, from: string): readonly Concept[] {
  if (!isJsonObject(thinking)) return [dialectSpecific(from)];
  const { type, ...parts } = thinking;
  const isKnown = type === 'enabled' || type === 'adaptive' || type === 'disabled';
  if (!isKnown) return [dialectSpecific(from)];
  return [
    { kind: 'isReasoning', value: type !== 'disabled', from },
    ...parseParts(parts, from, thinkingReaders),
  ];
}

const thinkingReaders: ConceptParsers = {
  budget_tokens: parseAs('reasoningTokens'),
  display: (display, from) => {
    const isKnown = display === 'summarized' || display === 'omitted';
    return [isKnown ? reasoningVisibility(display === 'summarized', from) : dialectSpecific(from)];
  },
};

/** What comes out always keeps to the schema here. */
function readFormat(format: unknown, from: string): readonly Concept[] {
  if (!isJsonObject(format) || format.type !== 'json_schema') return [dialectSpecific(from)];
  const { type, schema } = format;
  return [{ kind: 'format', value: { type, name: undefined, schema, strict: true }, from }];
}
