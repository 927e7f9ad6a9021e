/**
 * A stream of events, independent of the dialect.
 *
 * `parse-stream.ts` in each dialect's folder parses the events of a stream into these, and
 * `write-stream.ts` writes these as events. Both are state machines that are fed one event at a
 * time and live as long as the stream.
 *
 * Blocks follow one another: at most one is open at any time, because messages cannot express
 * anything else. The parser of a dialect whose blocks may interleave has to put them in order.
 */

import type { JsonObject } from '../../core/json/json-object.ts';
import type { Stop, TokenUsage } from './completion.ts';
import type { Citation, Logprobs } from './content.ts';
import type { ReasoningBlock } from './turns.ts';

export type StreamEvent =
  /** Always first. */
  | {
      readonly type: 'start';
      readonly id: string | undefined;
      readonly model: string | undefined;
      readonly created: number | undefined;
      /** Messages already knows the input tokens here. A stream that fails has no others. */
      readonly usage: TokenUsage | undefined;
    }
  | { readonly type: 'block-start'; readonly block: StartedBlock }
  /** Text, or a piece of the input of a tool call, that continues the open block. */
  | { readonly type: 'delta'; readonly text: string; readonly logprobs?: Logprobs }
  | { readonly type: 'citation'; readonly citation: Citation }
  /** Ends the open block. The signature or encrypted text of reasoning is only known now. */
  | { readonly type: 'block-end'; readonly reasoning?: ReasoningBlock['original'] }
  /** The model is done. The usage includes what was known at the start; it may be missing. */
  | {
      readonly type: 'finish';
      readonly stop: Stop;
      readonly usage: TokenUsage | undefined;
      /** Fields that other dialects may have too, such as `service_tier`. */
      readonly extras?: JsonObject;
      /** Losses of the parser. The writer names them in its last event with usage. */
      readonly dropped?: ReadonlySet<string>;
    }
  /** The provider reported an error inside the stream. Nothing follows. */
  | {
      readonly type: 'error';
      readonly status: number;
      readonly message: string;
      /** OpenAI's word for the exact reason. */
      readonly code?: string | undefined;
    };

export type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

export type StartedBlock =
  | { readonly kind: 'text' | 'refusal' }
  | { readonly kind: 'reasoning'; readonly isSummary: boolean }
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly isCustom: boolean;
      /** Where a whole response has the input. */
      readonly inputPath: string;
      /** Only responses has namespaces. */
      readonly namespace?: string;
    };

/** Parses one dialect's events. */
export interface StreamParser {
  /** Takes the data of one event, already parsed from JSON. May throw a `StreamError`. */
  push(event: JsonObject): readonly StreamEvent[];
  /**
   * Call this when the upstream has closed the stream. Returns what was still waiting for its
   * place; an empty list if the stream broke off.
   */
  end(): readonly StreamEvent[];
  /** The parts that no event expresses, as paths. Complete after `end`. */
  readonly dropped: ReadonlySet<string>;
  /** The usage that was reported so far, even if the stream failed or broke off. */
  readonly usage: TokenUsage | undefined;
}

/**
 * Writes events in one dialect, with a method for each. They return the text of the events to send,
 * empty if there are none yet, and may throw a `StreamError`.
 */
export interface StreamWriter {
  start(event: EventOf<'start'>): string;
  startBlock(block: StartedBlock): string;
  continueBlock(event: EventOf<'delta'>): string;
  /** Citations are written with the end of their block. */
  cite(citation: Citation): void;
  endBlock(reasoning: ReasoningBlock['original'] | undefined): string;
  finish(event: EventOf<'finish'>): string;
  /** Returns the event that ends a broken stream. Nothing may follow. */
  fail(status: number, message: string, code?: string): string;
  /** Whether the last event of the dialect was written, so that the stream is complete. */
  readonly isFinished: boolean;
  /** The parts of events that the dialect cannot express, as paths in the source. */
  readonly dropped: ReadonlySet<string>;
}

export function writeStreamEvent(writer: StreamWriter, event: StreamEvent): string {
  switch (event.type) {
    case 'start':
      return writer.start(event);
    case 'block-start':
      return writer.startBlock(event.block);
    case 'delta':
      return writer.continueBlock(event);
    case 'citation':
      writer.cite(event.citation);
      return '';
    case 'block-end':
      return writer.endBlock(event.reasoning);
    case 'finish':
      return writer.finish(event);
    case 'error':
      return writer.fail(event.status, event.message, event.code);
  }
}

/** Ends a stream that cannot be translated any further. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Bounds the text that one part of a translation buffers until the stream ends. Each part counts
 * text here before it buffers it.
 */
export class BufferedTextLimit {
  #characters = 0;

  add(text: string): void {
    this.#characters += text.length;
    if (this.#characters > bufferedCharactersMax)
      throw new StreamError(502, 'The response of the upstream is too long to be translated.');
  }

  addDelta({ text, logprobs }: EventOf<'delta'>): void {
    this.add(text);
    if (logprobs !== undefined) this.add(JSON.stringify(logprobs.list));
  }
}

const bufferedCharactersMax = 16 * 1_048_576;
