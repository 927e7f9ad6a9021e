import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';

/**
 * The dialect-independent meaning of config fields, through which presets are translated.
 *
 * `parse-concepts.ts` in each dialect's folder turns fields into concepts, `write-concepts.ts`
 * turns concepts into fields. A setting is a concept if at least two dialects can express it, in
 * whatever form; three parsers and three writers then cover all six directions. Values that are
 * only copied have the type `unknown`.
 */
export interface ConceptValues {
  /** `max_completion_tokens` or `max_tokens`, `max_tokens` in messages, `max_output_tokens`. */
  readonly tokenLimit: unknown;
  /** `stop`, or `stop_sequences` in messages. Always a list here. */
  readonly stopSequences: readonly unknown[];
  /** `fallbacks` of messages, which becomes `models`. OpenRouter's `models` itself is shared. */
  readonly fallbackModels: readonly unknown[];
  readonly topLogprobs: unknown;
  readonly tool: ToolConcept;
  readonly toolChoice: ToolChoiceConcept;
  /** A field of its own in the OpenAI dialects, a negated part of `tool_choice` in messages. */
  readonly parallelToolCalls: boolean;
  /** `reasoning.effort` or `reasoning_effort`, `output_config.effort` in messages. */
  readonly reasoningEffort: unknown;
  /** `reasoning.max_tokens`, or `thinking.budget_tokens` in messages. */
  readonly reasoningTokens: unknown;
  /** `reasoning.enabled`, or the type of `thinking` in messages. */
  readonly isReasoning: boolean;
  /** `reasoning.exclude` or `include_reasoning`, `thinking.display` in messages. */
  readonly reasoningVisibility: 'shown' | 'hidden';
  /** `reasoning.summary`. Messages only knows whether there is one. */
  readonly reasoningSummary: unknown;
  /** `response_format`, `output_config.format` in messages, `text.format` in responses. */
  readonly format: FormatConcept;
  /** Separate from `format`, because messages has a format but no description. */
  readonly formatDescription: unknown;
  /** `verbosity`, or `text.verbosity` in responses. */
  readonly verbosity: unknown;
  /** A field without a parser. Other dialects may have one of the same name and meaning. */
  readonly field: { readonly name: string; readonly value: unknown };
  /** A field, or a part of one, that no other dialect can express. */
  readonly dialectSpecific: null;
}

export type ToolConcept =
  | FunctionConcept
  /** A tool with free-form input, in the flat form of responses. */
  | { readonly type: 'custom'; readonly definition: JsonObject }
  /** OpenAI's web search, with all options at the top level. */
  | { readonly type: 'web-search'; readonly tool: JsonObject }
  /** A tool that OpenRouter runs; it has the same form in every dialect. */
  | { readonly type: 'server'; readonly tool: JsonObject };

/** A function that the client runs. The only tool that every dialect can express. */
export interface FunctionConcept {
  readonly type: 'function';
  readonly name: unknown;
  readonly description: unknown;
  readonly parameters: unknown;
  readonly strict: unknown;
  readonly schemaOrigin: SchemaOrigin;
  /** All other fields of the definition, which each dialect supports or drops. */
  readonly extras: JsonObject;
}

/** Whose rules a JSON schema follows. OpenAI requires more of one than JSON Schema does. */
export type SchemaOrigin = 'openai' | 'other';

export type ToolChoiceConcept =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'function' | 'custom'; readonly name: unknown }
  /** A subset of the tools. Messages cannot express it. */
  | { readonly type: 'allowed'; readonly mode: unknown; readonly tools: readonly unknown[] }
  /** A server tool or web search, copied unchanged. */
  | { readonly type: 'server'; readonly choice: JsonObject };

export type FormatConcept =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: unknown;
      readonly schema: unknown;
      /** Where the schema is in the field. */
      readonly schemaPath: string;
      /** Whether OpenAI is to enforce the schema. Other providers enforce every schema. */
      readonly strict: unknown;
      readonly schemaOrigin: SchemaOrigin;
    };

/** A field, or a part of it that is a setting of its own. */
export type FieldPath = readonly [field: string, part?: string];

/** Each path once, where it is first. */
export function distinct(paths: readonly FieldPath[]): readonly FieldPath[] {
  return [...new Map(paths.map((path) => [path.join('.'), path])).values()];
}

/** A concept and the path of the config field it comes from. */
export type Concept = { readonly [Kind in keyof ConceptValues]: ConceptOf<Kind> }[keyof ConceptValues];

interface ConceptOf<Kind extends keyof ConceptValues> {
  readonly kind: Kind;
  readonly value: ConceptValues[Kind];
  /** The name of the field in the preset, with dots for nested parts. */
  readonly path: string;
}

/** Parses fields into concepts, by field name. A field may yield several concepts, or none. */
export type ConceptParsers = Readonly<Record<string, (value: unknown, path: string) => readonly Concept[]>>;

/** Parses the parts of an object. Nulls yield nothing; unknown parts are dialect-specific. */
export function parseParts(parts: unknown, path: string, parsers: ConceptParsers): readonly Concept[] {
  if (!isJsonObject(parts)) return [dialectSpecific(path)];
  return Object.entries(parts).flatMap(([name, part]) => {
    if (part === null) return [];
    const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
    return parse?.(part, `${path}.${name}`) ?? [dialectSpecific(`${path}.${name}`)];
  });
}

/** Marks a field as dropped in every translation. */
export function dialectSpecific(path: string): Concept {
  return { kind: 'dialectSpecific', value: null, path };
}

/** A parser that turns any value into one concept. */
export function parseAs(
  kind:
    | 'tokenLimit'
    | 'topLogprobs'
    | 'reasoningEffort'
    | 'reasoningTokens'
    | 'reasoningSummary'
    | 'verbosity',
): ConceptParsers[string] {
  return (value, path) => [{ kind, value, path }];
}

/** A parser for booleans; any other value is dialect-specific. */
export function parseBoolean(toConcept: (value: boolean, path: string) => Concept): ConceptParsers[string] {
  return (value, path) => [typeof value === 'boolean' ? toConcept(value, path) : dialectSpecific(path)];
}

export function reasoningVisibility(isShown: boolean, path: string): Concept {
  return { kind: 'reasoningVisibility', value: isShown ? 'shown' : 'hidden', path };
}
