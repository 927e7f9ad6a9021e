import type { Dialect } from '../presets/preset.ts';

/** The stored content of a call: JSON values, in which strings may be redacted or shortened. */
export interface CallContent {
  /** The body as the client sent it. The parts of a form, with the sizes of its files. */
  readonly request: unknown;
  /** The body as the last upstream got it; null if none did, or if it got that of the client. */
  readonly sent: unknown;
  /** The dialect of `sent`; null if it has none. */
  readonly sentDialect: Dialect | null;
  /** The body that the client got, a stream put together; null if there is none or not as text. */
  readonly response: unknown;
  /** The attempts before the last one that upstreams answered with an error. */
  readonly failures: readonly FailedAttempt[];
  /** The parts that were too long: strings in them are cut, or the whole part is null. */
  readonly truncated: readonly ContentPart[];
}

export type ContentPart = 'request' | 'sent' | 'response';

export interface FailedAttempt {
  readonly upstream: string;
  readonly status: number;
  readonly message: string;
  /** Null if there was no response. */
  readonly body: string | null;
}

/** A call's content before it is redacted and shortened. Bodies are JSON or else plain text. */
export interface RawContent {
  readonly request: Body;
  readonly sent: Body;
  readonly sentDialect: Dialect | null;
  readonly response: Body;
  readonly failures: readonly FailedAttempt[];
  /** The parts of which something is missing already. */
  readonly truncated: readonly ContentPart[];
}

/** A body, or a JSON value that was made of one, with its approximate size. */
export type Body = Buffer | string | { readonly value: unknown; readonly bytes: number } | null;
