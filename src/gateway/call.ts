import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Reservation } from '../core/budgets/spending.ts';
import type { PresetdError } from '../core/errors.ts';
import { newId } from '../core/identifiers.ts';
import type { CallError } from '../core/ledger/call-error.ts';
import type { Caller } from '../core/organization/caller.ts';
import type { Dialect, DraftVersion } from '../core/presets/preset.ts';
import type { Pin } from '../core/presets/preset-reference.ts';
import type { ResolvedPreset } from '../core/presets/resolve-preset.ts';
import type { PolicyField } from '../dialects/presets/merge-preset.ts';
import type { ContentRecorder } from './ledger/content-recorder.ts';
import type { ObservedExchange } from './ledger/observed-exchange.ts';
import type { FormBody } from './request/form-body.ts';
import type { Endpoint } from './upstreams/endpoint.ts';

/** An inference request and the response to write to. The HTTP layer creates one per request. */
export interface Call {
  /** In a relayed call, only errors are in this dialect. */
  readonly dialect: Dialect;
  /** Undefined for calls in a dialect, which may have to be translated. */
  readonly relayed?: RelayedRequest;
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** The query string with its question mark, or an empty string. Forwarded unchanged. */
  readonly query: string;
  /** The body as the client sent it. */
  readonly bytes: Buffer;
  /** The same body, parsed. */
  readonly body: Readonly<Record<string, unknown>>;
  /** From `presetd.draft` of the body. Takes the place of a version of the preset. */
  readonly draft?: DraftVersion;
  readonly response: ServerResponse;
  /** The headers that every response of the server has. Called when the response is sent. */
  readonly commonHeaders: () => HeaderList;
  /** When the body was complete, as a `performance.now()` timestamp. */
  readonly receivedAt: number;
  /** Time spent on authentication and admission before the body was read. */
  readonly admittedMs: number;
  readonly trace: CallTrace;
  /**
   * Looks the caller up again. Resolves to the reason why they may no longer make the call;
   * undefined if they still may, or if that cannot be found out. Never rejects.
   */
  readonly findLostAccess: () => Promise<PresetdError | undefined>;
}

/**
 * A request that is not translated: an upstream gets it as it is, except for the name of the model.
 */
export interface RelayedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /**
   * Below the base URL of the upstream, without the query. The gateway finds that of a stored
   * response.
   */
  readonly path: string;
  /** A stored response that the request is about. The gateway finds its upstream. */
  readonly storedResponse?: StoredResponseRequest;
  /** Undefined if the path is part of a dialect, so that an upstream that has it is known. */
  readonly endpoint?: Endpoint;
  /** Undefined if the request has no body. */
  readonly contentType?: string;
  /** The body, if it is a form and not JSON. */
  readonly form?: FormBody;
}

export interface StoredResponseRequest {
  /** As the client sent it: signed, if it is one of ours. */
  readonly signedId: string;
  /** The part of the path after the id. */
  readonly action: '' | '/cancel' | '/input_items';
}

/**
 * Header names and values, alternating, as Node's `writeHead` and undici accept them. Concatenating
 * lists costs a fraction of merging objects, and every call does it twice.
 */
export type HeaderList = readonly (string | number | string[])[];

/**
 * The history of a call, for response headers, metrics and the log. It is mutable and filled in
 * step by step, so that a call that fails midway still reports everything up to that point.
 */
export interface CallTrace {
  /** The id of the call's record. */
  readonly id: string;
  preset: ResolvedPreset | undefined;
  /** The version or label that the request pins. */
  pin: Pin | undefined;
  /** The last exchange with an upstream; undefined if none has ended. */
  exchange: ObservedExchange | undefined;
  /** The exchanges that upstreams may charge for. A fallback can follow one, such as a timeout. */
  chargedExchanges: ObservedExchange[];
  /** Reservations of attempts that upstreams may charge for, or that have not ended. */
  reservations: Reservation[];
  /** The output limit that the call got because it had none; undefined if it needs none. */
  outputLimit: number | undefined;
  /** The last upstream tried. */
  upstream: string | undefined;
  droppedFields: readonly string[];
  /**
   * The parts of a translated response that the dialect of the call cannot express. Grows while the
   * response streams; undefined if nothing is translated.
   */
  losses: { readonly dropped: Iterable<string> } | undefined;
  /** The preset's fields that the request replaced. */
  overriddenFields: readonly string[];
  /** The changes of the preset's policy to the request. */
  policyFields: readonly PolicyField[];
  /** The candidates that were skipped or failed, as `model;reason`. */
  fallbacks: string[];
  /** The preset that the request names, whether or not there is one. */
  requestedPreset: string | undefined;
  /** Why the call failed; undefined if it has not. */
  error: CallError | undefined;
  /** Why no upstream responded, as in `fallbacks`; undefined if one did. */
  failure: string | undefined;
  /** Time spent waiting for upstreams, over all attempts. */
  upstreamMs: number;
  /** Time that presetd added until the response was begun. */
  overheadMs: number;
  /** The status to count if the response was cut off after its real status had been sent. */
  brokenStatus: number | undefined;
  /** Dry runs are not sent and not counted. */
  isDryRun: boolean;
  /** Undefined if the content of the call is not logged. */
  content: ContentRecorder | undefined;
}

export function createTrace(): CallTrace {
  return {
    id: newId(),
    preset: undefined,
    pin: undefined,
    requestedPreset: undefined,
    error: undefined,
    exchange: undefined,
    chargedExchanges: [],
    reservations: [],
    outputLimit: undefined,
    upstream: undefined,
    droppedFields: [],
    losses: undefined,
    overriddenFields: [],
    policyFields: [],
    fallbacks: [],
    failure: undefined,
    upstreamMs: 0,
    overheadMs: 0,
    brokenStatus: undefined,
    isDryRun: false,
    content: undefined,
  };
}

/**
 * The time that presetd itself added to a call. Waiting for the body or for upstreams does not
 * count; `waitedMs` is the wait for an upstream that is not in the trace yet.
 */
export function overheadOf(
  { receivedAt, admittedMs, trace }: Pick<Call, 'receivedAt' | 'admittedMs' | 'trace'>,
  waitedMs = 0,
): number {
  return Math.max(0, admittedMs + performance.now() - receivedAt - trace.upstreamMs - waitedMs);
}

/** The label of a call in metrics. */
export function labelOf({
  relayed,
  dialect,
}: Pick<Call, 'dialect'> & { readonly relayed?: RelayedRequest | undefined }): string {
  if (relayed?.storedResponse !== undefined) return 'stored-responses';
  return relayed?.endpoint ?? dialect;
}

/** The applied version in the form that pins it, such as `parcel-bot@3`; `parcel-bot@draft`. */
export function describePreset({ preset }: CallTrace): string | undefined {
  return preset && `${preset.slug}@${preset.version.version}`;
}

/** Parentheses cannot occur in a slug. */
const measuredDrafts = '(drafts)';

/**
 * The preset in metrics. Trying out drafts must not look like production traffic, and must not use
 * up the limited number of presets that metrics name: the preset of a draft need not exist.
 */
export function measuredPreset({ preset }: CallTrace): string | undefined {
  return preset?.version.version === 'draft' ? measuredDrafts : preset?.slug;
}
