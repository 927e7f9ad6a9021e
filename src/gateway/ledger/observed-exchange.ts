import type { ResponseFacts, TokenUsage } from '../../dialects/model/completion.ts';
import type { Candidate } from '../plan/router.ts';

/** Observations of an exchange with an upstream, for the record of the call. */
export interface ObservedExchange {
  readonly candidate: Candidate;
  readonly facts: ResponseFacts;
  /** As the upstream reported it. */
  readonly usage: TokenUsage | undefined;
  /** Whether the upstream may have worked on a response. */
  readonly mayBeCharged: boolean;
  /** Whether a response arrived as a whole, even if the model did not finish it. */
  readonly isComplete: boolean;
  readonly isStreamed: boolean;
  readonly timings: Readonly<ExchangeTimings>;
  /** The length of a response that is not streamed. */
  readonly bodyCharacters: number;
  /** The JSON that the upstream got; undefined if it was a form or had no body. */
  readonly sentBody: string | Buffer | undefined;
  /** The text of a stream that was sent to the client. */
  readonly streamed: StreamSample | undefined;
}

/**
 * The start of the events of a stream that have text, and the length of all of them, from which its
 * text can be estimated.
 */
export interface StreamSample {
  readonly start: string;
  readonly bytes: number;
}

/** Timestamps from `performance.now()`. */
export interface ExchangeTimings {
  readonly startedAt: number;
  /** False while the request is queued for a free slot. */
  isSent: boolean;
  firstByteAt: number | undefined;
  /** 0 until the exchange ends. */
  endedAt: number;
}
