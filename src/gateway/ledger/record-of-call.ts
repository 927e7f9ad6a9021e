import type { IncomingHttpHeaders } from 'node:http';
import { headerNames } from '../../core/header-names.ts';
import type { CallGroup, CallRecord, Cost, Purpose, Selection } from '../../core/ledger/call-record.ts';
import { arrivalOf } from '../../core/ledger/call-record.ts';
import type { TokenCounts } from '../../core/ledger/price.ts';
import { asObject } from '../../core/loose-json.ts';
import type { Caller } from '../../core/organization/caller.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { type CallTrace, labelOf, type RelayedRequest } from '../call.ts';
import { costOfCall, type PricedCall } from './cost-of-call.ts';
import { estimateMissingTokens } from './estimate-missing-tokens.ts';
import { isMedia, type ListPrices, listPricesFor } from './list-prices.ts';
import type { ObservedExchange } from './observed-exchange.ts';

/** A call that has ended. */
export interface EndedCall {
  readonly dialect: Dialect;
  readonly relayed?: RelayedRequest | undefined;
  /** With the workspace of the call. */
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  /** The body as the client sent it. */
  readonly bytes: Buffer;
  /** Empty if it was rejected before it was parsed. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly trace: CallTrace;
  readonly receivedAt: number;
  readonly status: number;
  readonly totalMs: number;
}

/**
 * Returns what makes the record of a call. All that is large is read now; the price, which may have to
 * be looked up, later. Undefined if the call belongs to no workspace.
 */
export function recordOfCall(
  ended: EndedCall,
  listPrices: ListPrices,
): (() => Promise<CallRecord>) | undefined {
  const group = groupOf(ended);
  if (group === undefined) return undefined;
  const { trace, headers, body, receivedAt, totalMs } = ended;
  const { exchange } = trace;
  const counted = countTokens(ended, group.dialect);
  const { facts, firstByteAt, isStreamed = false } = exchange ?? {};
  const record: Omit<CallRecord, 'cost'> = {
    id: trace.id,
    group,
    requestedModel: storable(requestedModel(body)),
    respondingModel: storable(facts?.model),
    upstreamId: storable(facts?.id),
    finishReason: storable(facts?.finishReason),
    tokens: counted.tokens,
    isEstimated: counted.isEstimated,
    // A response that is not streamed arrives as a whole.
    firstTokenMs: isStreamed && firstByteAt !== undefined ? rounded(firstByteAt - receivedAt) : null,
    totalMs: rounded(totalMs),
    presetdMs: rounded(trace.overheadMs),
    isStreamed,
    fallbacks: trace.fallbacks,
    sessionId: storable(body.session_id ?? headers['x-session-id']),
    endUser: storable(endUserOf(body)),
    appTitle: storable(headers['x-openrouter-title'] ?? headers['x-title']),
    referer: storable(headers['http-referer'] ?? headers.referer),
  };
  // Nothing else of the exchange may be kept: records wait, and bodies are large.
  const priced = counted.isFree || exchange === undefined ? undefined : pricedCall(record, exchange);
  const prices = listPricesFor(group.dialect, listPrices);
  return async () => ({ ...record, cost: priced === undefined ? free : await costOfCall(priced, prices) });
}

const free: Cost = { nanos: 0, source: 'free', price: null };

function pricedCall(
  { id, tokens, respondingModel }: Omit<CallRecord, 'cost'>,
  { candidate, usage }: ObservedExchange,
): PricedCall {
  return { candidate, tokens, reportedCost: usage?.cost, respondingModel, at: arrivalOf(id) };
}

function groupOf({ dialect, relayed, caller, headers, trace, status }: EndedCall): CallGroup | undefined {
  const { organizationId, workspaceId } = caller;
  if (organizationId === null || workspaceId === null) return undefined;
  const version = trace.preset?.version;
  const isDraft = version?.version === 'draft';
  const { pin } = trace;
  return {
    organizationId,
    workspaceId,
    keyId: caller.kind === 'session' ? null : caller.id,
    userId: caller.ownerId,
    presetId: version === undefined || version.version === 'draft' ? null : version.presetId,
    presetSlug: trace.preset?.slug ?? null,
    version: version === undefined || version.version === 'draft' ? null : version.version,
    selection: version === undefined ? null : isDraft ? 'draft' : selectionOf(pin),
    label: pin !== undefined && 'label' in pin ? pin.label : null,
    // Clients can name any number of models that do not exist, and each would be a group.
    model: status === 400 || status === 404 ? null : storable(trace.exchange?.candidate.model),
    upstream: trace.upstream ?? null,
    dialect: labelOf({ dialect, ...(relayed !== undefined && { relayed }) }),
    status,
    purpose: purposeOf(caller, headers, isDraft),
  };
}

function selectionOf(pin: CallTrace['pin']): Selection {
  if (pin === undefined) return 'live';
  return 'label' in pin ? 'label' : 'version';
}

/** People sign in to the dashboard only; with a key, it says so. */
function purposeOf({ kind }: Caller, headers: IncomingHttpHeaders, isDraft: boolean): Purpose {
  return kind === 'session' || isDraft || headers[headerNames.purpose] === 'workbench' ? 'workbench' : 'call';
}

interface CountedTokens {
  readonly tokens: TokenCounts;
  readonly isEstimated: boolean;
  /** Whether nobody charges for the call. */
  readonly isFree: boolean;
}

const noTokens: TokenCounts = { input: null, cached: null, cacheWrite: null, output: null, reasoning: null };

/** Endpoints that only count, and those of stored responses, whose tokens were counted before. */
const freeLabels = new Set([
  'stored-responses',
  'messages/count_tokens',
  'responses/input_tokens',
  'moderations',
]);

const labelsWithoutOutput = new Set(['embeddings', 'rerank']);

function countTokens({ trace: { exchange } }: EndedCall, label: string): CountedTokens {
  if (exchange === undefined || !exchange.mayBeCharged || freeLabels.has(label))
    return { tokens: noTokens, isEstimated: false, isFree: true };
  const { usage, isComplete } = exchange;
  const isReported = isComplete && usage?.input !== undefined && usage.output !== undefined;
  const estimated =
    isReported || isMedia(label) ? {} : estimateMissingTokens(exchange, !labelsWithoutOutput.has(label));
  const tokens = {
    input: estimated.input ?? usage?.input ?? null,
    cached: usage?.cacheRead ?? null,
    cacheWrite: usage?.cacheWrite ?? null,
    output: estimated.output ?? usage?.output ?? null,
    reasoning: usage?.reasoning ?? null,
  };
  return { tokens, isEstimated: Object.keys(estimated).length > 0, isFree: false };
}

/** The model that the client names besides a preset. */
function requestedModel({ model }: EndedCall['body']): unknown {
  return typeof model === 'string' && !model.startsWith('@preset/') ? model : undefined;
}

/** Each dialect has a place of its own for the end user. */
function endUserOf({ user, safety_identifier: identifier, metadata }: EndedCall['body']): unknown {
  return user ?? identifier ?? asObject(metadata).user_id;
}

const charactersMax = 256;

/** Clients and upstreams choose these texts. One that cannot be stored must not keep others from it. */
function storable(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return text.slice(0, charactersMax).replaceAll('\0', '').toWellFormed();
}

function rounded(ms: number): number {
  return Math.round(Math.max(0, ms) * 1_000) / 1_000;
}
