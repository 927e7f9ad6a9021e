/**
 * A conversation, independent of the dialect, through which requests and responses are translated.
 *
 * `turns.ts` in each dialect's folder parses the conversation of a request into turns and writes
 * turns as a conversation. A turn is what one side says before the other does: messages has exactly
 * that form, an assistant message of chat completions with its tool calls is one turn, and so are
 * consecutive output items of responses.
 *
 * Nothing is lost by parsing and writing in the same dialect. A writer of another dialect reports
 * everything that it cannot express.
 */

import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { Block, Content, Extras, RefusalBlock, TextBlock } from './content.ts';

export interface Turn {
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  /** Tool results are in turns of the user; tool calls and reasoning in those of the assistant. */
  readonly content: string | readonly TurnBlock[];
  readonly extras: Extras;
  /** The field that it comes from: `system`, `instructions`, `messages.*` or `input.*`. */
  readonly path: string;
}

/** A part of a turn, in the order in which it was said. */
export type TurnBlock = Block | ToolCallBlock | ToolResultBlock | ReasoningBlock;

/** A call of a tool that the client runs. */
export interface ToolCallBlock {
  readonly kind: 'tool-call';
  readonly id: string;
  readonly name: string;
  /**
   * Arguments as JSON text, or the free text of a custom tool. A text that is not JSON is kept,
   * because models make mistakes.
   */
  readonly input: string;
  readonly isCustom: boolean;
  /** Only responses has namespaces. Elsewhere the name contains it. */
  readonly namespace?: string;
  readonly extras: Extras;
  readonly path: string;
  /** Where the input is. */
  readonly inputPath: string;
}

export interface ToolResultBlock {
  readonly kind: 'tool-result';
  readonly callId: string;
  readonly content: Content;
  /** Only messages can express this. */
  readonly isError: boolean;
  /** Whether it answers a call of a custom tool. */
  readonly isCustom: boolean;
  readonly extras: Extras;
  readonly path: string;
  /** Where the list is that the content was in. */
  readonly contentPath: string;
}

/**
 * The model's reasoning. Clients send it back with the results of its tool calls, and a provider
 * rejects it unless it is exactly what it sent.
 */
export interface ReasoningBlock {
  readonly kind: 'reasoning';
  /** The visible text; empty if it is hidden. */
  readonly text: string;
  /** Whether the text is a summary. */
  readonly isSummary: boolean;
  /**
   * The part as the provider wrote it, with what only the provider understands: a signature, or
   * encrypted text. It is sealed where another dialect writes it, see `sealed-reasoning.ts`.
   */
  readonly original: { readonly dialect: Dialect; readonly part: JsonObject };
  readonly path: string;
}

export interface WrittenTurns {
  /** The fields of the conversation, such as `system` and `messages`. */
  readonly fields: JsonObject;
  /**
   * The lost parts, as paths in the source, such as `messages.*.content.*.citations`.
   * A star stands for any index: a long conversation would make a long list.
   */
  readonly dropped: ReadonlySet<string>;
}

/** The blocks that a model produces. */
export type OutputBlock = TextBlock | RefusalBlock | ReasoningBlock | ToolCallBlock;

export function isText(block: TurnBlock): block is TextBlock {
  return block.kind === 'text';
}

export function isRefusal(block: TurnBlock): block is RefusalBlock {
  return block.kind === 'refusal';
}

export function isReasoning(block: TurnBlock): block is ReasoningBlock {
  return block.kind === 'reasoning';
}

export function isToolCall(block: TurnBlock): block is ToolCallBlock {
  return block.kind === 'tool-call';
}

export function isToolResult(block: TurnBlock): block is ToolResultBlock {
  return block.kind === 'tool-result';
}

export function isContent(block: TurnBlock): block is Block {
  return !isToolCall(block) && !isToolResult(block) && !isReasoning(block);
}
