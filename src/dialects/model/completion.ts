/**
 * The response to a call, independent of the dialect.
 *
 * `completion.ts` in each dialect's folder parses the body of a response into a completion and
 * writes a completion as a body.
 */

import type { JsonObject } from '../../core/json/json-object.ts';
import type { OutputBlock } from './turns.ts';

export interface Completion {
  /** As the provider wrote it, with its prefix. */
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** In seconds since 1970. Messages has no such time. */
  readonly created: number | undefined;
  readonly content: readonly OutputBlock[];
  readonly stop: Stop;
  readonly usage: TokenUsage | undefined;
  /** Fields that other dialects may have too, such as `service_tier`. */
  readonly extras: JsonObject;
}

/** Why the model stopped. */
export interface Stop {
  readonly reason: StopReason;
  /** The stop sequence that it wrote. Only messages reports it. */
  readonly sequence?: string;
  /** The provider's own word for the reason, for a dialect with the same word. */
  readonly original?: string;
}

export type StopReason =
  /** It had nothing more to say, or wrote a stop sequence. */
  | 'end'
  /** It reached the token limit or the end of its context. */
  | 'length'
  /** It waits for the results of tool calls. */
  | 'tool-calls'
  /** A filter of the provider, or the model itself, declined to answer. */
  | 'refusal'
  /** A long turn was interrupted; the client sends the response back to continue it. */
  | 'pause';

/** Token counts in the sense of OpenAI: input includes cached tokens, output includes reasoning. */
export interface TokenUsage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** Input tokens that were read from the provider's cache. */
  readonly cacheRead?: number | undefined;
  /** Input tokens that were written to it. */
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
  /** In US dollars, where the upstream reports it. */
  readonly cost?: number | undefined;
}

/** The response in the record of a call, without its usage. */
export interface ResponseFacts {
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** In the words of the dialect. */
  readonly finishReason: string | undefined;
}

/** Values that a written response needs and a provider may have left out. */
export interface CompletionContext {
  /** Unique for the call. Ids that the dialect requires are derived from it. */
  readonly requestId: string;
  /** The model that the request named. */
  readonly model: string;
  /** In seconds since 1970, when the call arrived. */
  readonly created: number;
  /** The request in the dialect of the client: responses repeats its settings. */
  readonly request: JsonObject;
  /**
   * Custom tools that the upstream knows as functions, because its dialect has no others. Their
   * text is the argument `input`.
   */
  readonly customTools?: ReadonlySet<string>;
  /** Tools in namespaces, which only responses has, by the name that contains the namespace. */
  readonly namespacedTools?: NamespacedTools | undefined;
  /** The names of tools that the upstream knows by others. All other fields have these names. */
  readonly toolNames?: ToolNames;
  /** For messages, where an upstream counts tokens only at the end of a stream, or not at all. */
  readonly estimatedInputTokens?: number;
}

/** Tools in namespaces, by the name that contains the namespace. */
export type NamespacedTools = ReadonlyMap<string, { readonly namespace: string; readonly name: string }>;

/** Original names, by the names that an upstream knows. Names that are the same are left out. */
export type ToolNames = ReadonlyMap<string, string>;

export interface ParsedCompletion {
  readonly completion: Completion;
  /** The parts that a completion has no field for, as paths such as `choices.*.logprobs`. */
  readonly dropped: readonly string[];
}

export interface WrittenCompletion {
  readonly body: JsonObject;
  /** The parts that the dialect cannot express, as paths in the source. */
  readonly dropped: readonly string[];
  /** The required fields that nobody knows, as paths in the body. They have a placeholder. */
  readonly missing: readonly string[];
}
