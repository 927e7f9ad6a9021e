import { isJsonObject, type JsonObject } from './json-object.ts';

/** What presets of more than one dialect can say, each in its own words. Values that nobody looks into are unknown. */
export interface IdeaValues {
  readonly tokenLimit: unknown;
  readonly stopSequences: readonly unknown[];
  readonly fallbackModels: readonly unknown[];
  readonly topLogprobs: unknown;
  readonly tool: ToolIdea;
  readonly toolChoice: ToolChoiceIdea;
  readonly parallelToolCalls: boolean;
  readonly reasoningEffort: unknown;
  readonly reasoningTokens: unknown;
  readonly isReasoning: boolean;
  readonly reasoningVisibility: 'shown' | 'hidden';
  readonly reasoningSummary: unknown;
  readonly format: FormatIdea;
  /** Told to the model by some, and not by others. */
  readonly formatDescription: unknown;
  readonly verbosity: unknown;
  /** A field that may have the same name and meaning elsewhere. */
  readonly field: { readonly name: string; readonly value: unknown };
  /** Something that no other dialect has. */
  readonly unshared: null;
}

export type ToolIdea =
  | FunctionIdea
  | { readonly type: 'custom'; readonly definition: JsonObject }
  | { readonly type: 'web-search'; readonly tool: JsonObject }
  /** OpenRouter's own tools look the same in every dialect. */
  | { readonly type: 'server'; readonly tool: JsonObject };

export interface FunctionIdea {
  readonly type: 'function';
  readonly name: unknown;
  readonly description: unknown;
  readonly parameters: unknown;
  readonly strict: unknown;
  /** The rest, which a dialect may know or not. */
  readonly extras: JsonObject;
}

export type ToolChoiceIdea =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'function' | 'custom'; readonly name: unknown }
  | { readonly type: 'allowed'; readonly mode: unknown; readonly tools: readonly unknown[] }
  | { readonly type: 'server'; readonly choice: JsonObject };

export type FormatIdea =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: unknown;
      readonly schema: unknown;
      readonly strict: unknown;
    };

/** An idea with the name under which the preset has it, nested parts with dots. */
export type Idea = { readonly [Kind in keyof IdeaValues]: IdeaOf<Kind> }[keyof IdeaValues];

interface IdeaOf<Kind extends keyof IdeaValues> {
  readonly kind: Kind;
  readonly value: IdeaValues[Kind];
  readonly from: string;
}

export type Readers = Readonly<Record<string, (value: unknown, from: string) => readonly Idea[]>>;

/** The ideas in the parts of a field. A null says nothing, and a part without a reader is shared with nobody. */
export function readParts(parts: unknown, from: string, readers: Readers): readonly Idea[] {
  if (!isJsonObject(parts)) return [unshared(from)];
  return Object.entries(parts).flatMap(([name, part]) => {
    if (part === null) return [];
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    return read?.(part, `${from}.${name}`) ?? [unshared(`${from}.${name}`)];
  });
}

export function unshared(from: string): Idea {
  return { kind: 'unshared', value: null, from };
}

/** A reader of a value that says one thing, whatever it is. */
export function reads(
  kind:
    | 'tokenLimit'
    | 'topLogprobs'
    | 'reasoningEffort'
    | 'reasoningTokens'
    | 'reasoningSummary'
    | 'verbosity',
): Readers[string] {
  return (value, from) => [{ kind, value, from }];
}

/** A reader of a yes or no, which says one thing. */
export function readsBoolean(toIdea: (value: boolean, from: string) => Idea): Readers[string] {
  return (value, from) => [typeof value === 'boolean' ? toIdea(value, from) : unshared(from)];
}
