import { isJsonObject, type JsonObject } from './json-object.ts';

/** What presets of more than one dialect can say, each in its own words. Values that nobody looks into are unknown. */
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
  /** Told to the model by some, and not by others. */
  readonly formatDescription: unknown;
  readonly verbosity: unknown;
  /** A field that may have the same name and meaning elsewhere. */
  readonly field: { readonly name: string; readonly value: unknown };
  /** Something that no other dialect has. */
  readonly dialectSpecific: null;
}

export type ToolConcept =
  | FunctionConcept
  | { readonly type: 'custom'; readonly definition: JsonObject }
  | { readonly type: 'web-search'; readonly tool: JsonObject }
  /** OpenRouter's own tools look the same in every dialect. */
  | { readonly type: 'server'; readonly tool: JsonObject };

export interface FunctionConcept {
  readonly type: 'function';
  readonly name: unknown;
  readonly description: unknown;
  readonly parameters: unknown;
  readonly strict: unknown;
  /** The rest, which a dialect may know or not. */
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

/** A concept with the name under which the preset has it, nested parts with dots. */
export type Concept = { readonly [Kind in keyof ConceptValues]: ConceptOf<Kind> }[keyof ConceptValues];

interface ConceptOf<Kind extends keyof ConceptValues> {
  readonly kind: Kind;
  readonly value: ConceptValues[Kind];
  readonly from: string;
}

export type ConceptParsers = Readonly<Record<string, (value: unknown, from: string) => readonly Concept[]>>;

/** The concepts in the parts of a field. A null says nothing, and a part without a reader is shared with nobody. */
export function parseParts(parts: unknown, from: string, readers: ConceptParsers): readonly Concept[] {
  if (!isJsonObject(parts)) return [dialectSpecific(from)];
  return Object.entries(parts).flatMap(([name, part]) => {
    if (part === null) return [];
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    return read?.(part, `${from}.${name}`) ?? [dialectSpecific(`${from}.${name}`)];
  });
}

export function dialectSpecific(from: string): Concept {
  return { kind: 'dialectSpecific', value: null, from };
}

/** A reader of a value that says one thing, whatever it is. */
export function parseAs(
  kind:
    | 'tokenLimit'
    | 'topLogprobs'
    | 'reasoningEffort'
    | 'reasoningTokens'
    | 'reasoningSummary'
    | 'verbosity',
): ConceptParsers[string] {
  return (value, from) => [{ kind, value, from }];
}

/** A reader of a yes or no, which says one thing. */
export function parseBoolean(toConcept: (value: boolean, from: string) => Concept): ConceptParsers[string] {
  return (value, from) => [typeof value === 'boolean' ? toConcept(value, from) : dialectSpecific(from)];
}
