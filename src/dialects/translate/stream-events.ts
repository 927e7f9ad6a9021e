/**
 * A stream of events, independent of the dialect.
 *
 * `stream.ts` in each dialect's folder parses the events of a stream into these and writes these as
 * events. Both are state machines that are fed one event at a time and live as long as the stream.
 *
 * Blocks follow one another: at most one is open at any time, because messages cannot express
 * anything else. The parser of a dialect whose blocks may interleave has to put them in order.
 */

import type { JsonObject } from '../json-object.ts';
import type { Stop, TokenUsage } from './completion.ts';
import type { Citation } from './content.ts';
import type { ReasoningBlock } from './turns.ts';

export type StreamEvent =
  /** Always first. */
  | {
      readonly type: 'start';
      readonly id: string | undefined;
      readonly model: string | undefined;
      readonly created: number | undefined;
      /** Messages already knows the input tokens here. */
      readonly usage: TokenUsage | undefined;
    }
  | { readonly type: 'block-start'; readonly block: StartedBlock }
  /** Text, or a piece of the input of a tool call, that continues the open block. */
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: Citation }
  /** Ends the open block. Of reasoning, only now the signature or encrypted text is known. */
  | { readonly type: 'block-end'; readonly reasoning?: ReasoningBlock['original'] }
  /** The model is done. The usage may be missing, or less complete than in the event before. */
  | { readonly type: 'finish'; readonly stop: Stop; readonly usage: TokenUsage | undefined }
  /** The provider reported an error inside of the stream. Nothing follows. */
  | { readonly type: 'error'; readonly status: number; readonly message: string };

export type StartedBlock =
  | { readonly kind: 'text' | 'refusal' }
  | { readonly kind: 'reasoning'; readonly isSummary: boolean }
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly isCustom: boolean;
    };

/** Parses one dialect's events. */
export interface StreamParser {
  /** Takes the data of one event, already parsed from JSON. */
  push(event: JsonObject): readonly StreamEvent[];
  /**
   * To be called when the upstream has closed the stream. Returns what was still waiting for its
   * place; an empty list if the stream broke off.
   */
  end(): readonly StreamEvent[];
  /** What the dialect has and no event expresses, as paths. Complete after `end`. */
  readonly dropped: ReadonlySet<string>;
}

/** Writes events in one dialect. */
export interface StreamWriter {
  /** Returns the text of the events to send, empty if there are none yet. */
  push(event: StreamEvent): string;
  /** Whether the last event of the dialect was written, so that the stream is complete. */
  readonly isFinished: boolean;
}
