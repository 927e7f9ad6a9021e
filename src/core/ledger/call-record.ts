import type { ErrorCode } from '../errors.ts';
import type { CallGroup } from './call-group.ts';
import type { Price, TokenCounts } from './price.ts';

/** A call that has ended. Contains no text of its request or response. */
export interface CallRecord {
  /** A UUIDv7, which contains the time when the call arrived. */
  readonly id: string;
  readonly group: CallGroup;
  /** As the client named it, unless that is a preset. */
  readonly requestedModel: string | null;
  /** The slug that the client named, if no version of it was called; null otherwise. */
  readonly requestedPreset: string | null;
  /** Why it failed; null if it did not. */
  readonly errorCode: ErrorCode | null;
  readonly errorMessage: string | null;
  /** As the upstream named it in its response. */
  readonly respondingModel: string | null;
  /** The id of the response, as the upstream named it. */
  readonly upstreamId: string | null;
  /** In the upstream's own words. */
  readonly finishReason: string | null;
  readonly tokens: TokenCounts;
  /** Whether a part of the tokens is an estimate, because the response was cut off. */
  readonly isEstimated: boolean;
  readonly cost: Cost;
  /** From the arrival of the body to the first byte of a stream; null for any other response. */
  readonly firstTokenMs: number | null;
  /** From the arrival of the request to the end of the response. */
  readonly totalMs: number;
  /** The part of it that presetd added. */
  readonly presetdMs: number;
  readonly isStreamed: boolean;
  /** The candidates that were skipped or failed, as `model;reason`. */
  readonly fallbacks: readonly string[];
  readonly sessionId: string | null;
  readonly endUser: string | null;
  readonly appTitle: string | null;
  readonly referer: string | null;
}

/** nginx's status for a request whose client disconnected before the response was sent. */
export const clientClosedRequest = 499;

/** In billionths of a US dollar, so that sums are exact. Null if nobody knows the price. */
export interface Cost {
  readonly nanos: number | null;
  readonly source: CostSource | null;
  /** Null if the upstream itself reported the cost, or if several attempts were charged. */
  readonly price: Price | null;
}

type CostSource =
  /** The upstream reported it. */
  | 'upstream'
  /** The prices in the upstream file. */
  | 'file'
  /** The library of list prices. */
  | 'library'
  /** Nothing was sent, or the endpoint is free of charge. */
  | 'free';

/** When a call arrived, in milliseconds since 1970: the first 48 bits of its id. */
export function arrivalOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The hour in which a call arrived, since 1970, UTC. */
export function hourOf(id: string): number {
  return Math.floor(arrivalOf(id) / 3_600_000);
}

/** The smallest id that a call can have that arrives at this time. */
export function firstIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The id of a call as clients see it. */
export function formatGenerationId(id: string): string {
  return `gen-${id.replaceAll('-', '')}`;
}

/** Undefined if the text is not an id of ours. */
export function parseGenerationId(text: string): string | undefined {
  const match = /^gen-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text);
  return match?.slice(1).join('-');
}
