import {
  type Idea,
  type Readers,
  readParts,
  reads,
  readsBoolean,
  type ToolIdea,
  unshared,
} from '../ideas.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { readVisibility } from '../reasoning-ideas.ts';
import { readFunction, readTools } from '../tool-ideas.ts';

/** For each field that says something in other words than other dialects. */
export const readers: Readers = {
  max_tokens: reads('tokenLimit'),
  stop_sequences: (value, from) => [
    Array.isArray(value) ? { kind: 'stopSequences', value, from } : unshared(from),
  ],
  fallbacks: (fallbacks, from) => [
    Array.isArray(fallbacks)
      ? { kind: 'fallbackModels', value: fallbacks.map(modelOf), from }
      : unshared(from),
  ],

  tools: (tools, from) => readTools(tools, from, readTool),
  tool_choice: readChoice,

  thinking: readThinking,
  output_config: (config, from) =>
    readParts(config, from, { effort: reads('reasoningEffort'), format: readFormat }),
  output_format: readFormat,
};

function modelOf(fallback: unknown): unknown {
  return isJsonObject(fallback) ? fallback.model : fallback;
}

/** Anthropic's own tools have a type and no schema. */
function readTool(tool: JsonObject): ToolIdea | undefined {
  const { type, input_schema: parameters, ...definition } = tool;
  const isOwn = type === undefined || type === null || type === 'custom';
  return isOwn ? readFunction({ ...definition, parameters }) : undefined;
}

function readChoice(choice: unknown, from: string): readonly Idea[] {
  if (!isJsonObject(choice)) return [unshared(from)];
  const { type, name, ...rest } = choice;
  return [choiceIdea(type, name, from), ...readParts(rest, from, parallelReader)];
}

function choiceIdea(type: unknown, name: unknown, from: string): Idea {
  if (type === 'auto' || type === 'none') return { kind: 'toolChoice', value: { type }, from };
  if (type === 'any') return { kind: 'toolChoice', value: { type: 'required' }, from };
  if (type === 'tool') return { kind: 'toolChoice', value: { type: 'function', name }, from };
  return unshared(from);
}

const parallelReader: Readers = {
  disable_parallel_tool_use: readsBoolean((isDisabled, from) => ({
    kind: 'parallelToolCalls',
    value: !isDisabled,
    from,
  })),
};

function readThinking(thinking: unknown, from: string): readonly Idea[] {
  if (!isJsonObject(thinking)) return [unshared(from)];
  const { type, ...parts } = thinking;
  const isKnown = type === 'enabled' || type === 'adaptive' || type === 'disabled';
  if (!isKnown) return [unshared(from)];
  return [
    { kind: 'isReasoning', value: type !== 'disabled', from },
    ...readParts(parts, from, thinkingReaders),
  ];
}

const thinkingReaders: Readers = {
  budget_tokens: reads('reasoningTokens'),
  display: (display, from) => {
    const isKnown = display === 'summarized' || display === 'omitted';
    return [isKnown ? readVisibility(display === 'summarized', from) : unshared(from)];
  },
};

/** What comes out always keeps to the schema here. */
function readFormat(format: unknown, from: string): readonly Idea[] {
  if (!isJsonObject(format) || format.type !== 'json_schema') return [unshared(from)];
  const { type, schema } = format;
  return [{ kind: 'format', value: { type, name: undefined, schema, strict: true }, from }];
}
