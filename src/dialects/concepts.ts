import { isJsonObject, type JsonObject } from './json-object.ts';

/**
 * The dialect-independent meaning of config fields. A concept exists if at least two dialects can
 * express it, in whatever form. Values that are only copied have the type `unknown`.
 */
export interface ConceptValues {
  readonly tokenLimit: unknown;
  readonly stopSequences: readonly unknown[];
  readonly fallbackModels: readonly unknown[];
  readonly topLogprobs: unknown;
  readonly tool: ToolConcept;
  readonly toolChoice: ToolChoiceConcept;
  readonly parallelToolCalls: boolean;
  readonly reasoningEffort: unknown;
  readonly reasoningTokens: unknown;
  readonly isReasoning: boolean;
  readonly reasoningVisibility: 'shown' | 'hidden';
  readonly reasoningSummary: unknown;
  readonly format: FormatConcept;
  /** Separate from `format`, because messages has a format but no description. */
  readonly formatDescription: unknown;
  readonly verbosity: unknown;
  /** A field without a parser. Other dialects may have one of the same name and meaning. */
  readonly field: { readonly name: string; readonly value: unknown };
  /** A field, or a part of one, that no other dialect can express. */
  readonly dialectSpecific: null;
}

export type ToolConcept =
  | FunctionConcept
  | { readonly type: 'custom'; readonly definition: JsonObject }
  | { readonly type: 'web-search'; readonly tool: JsonObject }
  /** A tool that OpenRouter runs; it has the same form in every dialect. */
  | { readonly type: 'server'; readonly tool: JsonObject };

export interface FunctionConcept {
  readonly type: 'function';
  readonly name: unknown;
  readonly description: unknown;
  readonly parameters: unknown;
  readonly strict: unknown;
  /** All other fields of the definition, which each dialect supports or drops. */
  readonly extras: JsonObject;
}

export type ToolChoiceConcept =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'function' | 'custom'; readonly name: unknown }
  | { readonly type: 'allowed'; readonly mode: unknown; readonly tools: readonly unknown[] }
  | { readonly type: 'server'; readonly choice: JsonObject };

export type FormatConcept =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: unknown;
      readonly schema: unknown;
      readonly strict: unknown;
    };

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

/**
 * Parses the parts of an object field. A null yields nothing; a part without a parser is
 * dialect-specific.
 */
export function parseParts(parts: unknown, path: string, parsers: ConceptParsers): readonly Concept[] {
  if (!isJsonObject(parts)) return [dialectSpecific(path)];
  return Object.entries(parts).flatMap(([name, part]) => {
    if (part === null) return [];
    const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
    return parse?.(part, `${path}.${name}`) ?? [dialectSpecific(`${path}.${name}`)];
  });
}

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
