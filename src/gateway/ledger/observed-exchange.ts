import type { ResponseFacts, TokenUsage } from '../../dialects/model/completion.ts';
import type { Candidate } from '../router.ts';

/** What was seen of an exchange with an upstream, for the record of the call. */
export interface ObservedExchange {
  readonly candidate: Candidate;
  readonly facts: ResponseFacts;
  /** As the upstream reported it. */
  readonly usage: TokenUsage | undefined;
  /** Whether the upstream may have worked on a response. Nobody charges for errors. */
  readonly mayBeCharged: boolean;
  /** Whether the response was successful and arrived as a whole. */
  readonly isComplete: boolean;
  readonly isStreamed: boolean;
  /** A `performance.now()` timestamp. */
  readonly firstByteAt: number | undefined;
  readonly upstreamMs: number;
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
