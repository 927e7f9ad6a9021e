import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '../core/authenticate.ts';
import type { Dialect } from '../core/preset.ts';
import type { ResolvedPreset } from '../core/resolve-preset.ts';
import type { HeaderList } from './header-list.ts';

/** A request for inference, and where its answer goes. */
export interface Call {
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** What follows the path in its URL, with the question mark; empty without one. Upstreams get it as it is. */
  readonly query: string;
  /** As it was sent, and what it says. */
  readonly bytes: Buffer;
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
  /** What any answer to it has, at the moment of answering. */
  readonly commonHeaders: () => HeaderList;
  /** When the body was there, and how long it took to let the request in before that. */
  readonly receivedAt: number;
  readonly admittedMs: number;
  readonly trace: CallTrace;
}

/** What becomes of a call, noted on the way so that an error can tell it, too. */
export interface CallTrace {
  preset: ResolvedPreset | undefined;
  /** The last one that was tried. */
  upstream: string | undefined;
  droppedFields: readonly string[];
  /** The fields of the preset that the request replaced. */
  overriddenFields: readonly string[];
  /** The models that were left for the next, each with the reason. */
  fallbacks: string[];
  /** How long it waited for upstreams. */
  upstreamMs: number;
  /** What an answer would have had for a status that broke off after its status was sent. */
  brokenStatus: number | undefined;
  /** Nothing was sent, and nothing is counted. */
  isDryRun: boolean;
}

export function createTrace(): CallTrace {
  return {
    preset: undefined,
    upstream: undefined,
    droppedFields: [],
    overriddenFields: [],
    fallbacks: [],
    upstreamMs: 0,
    brokenStatus: undefined,
    isDryRun: false,
  };
}

/** What presetd itself took, without waiting for the body or for upstreams. */
export function overheadOf(
  { receivedAt, admittedMs, trace }: Pick<Call, 'receivedAt' | 'admittedMs' | 'trace'>,
  waitedMs = 0,
): number {
  return Math.max(0, admittedMs + performance.now() - receivedAt - trace.upstreamMs - waitedMs);
}

/** The version that was applied, as a client would pin it. */
export function describePreset({ preset }: CallTrace): string | undefined {
  return preset && `${preset.slug}@${preset.version.version}`;
}
