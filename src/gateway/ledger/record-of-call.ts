import type { IncomingHttpHeaders } from 'node:http';
import { headerNames } from '../../core/header-names.ts';
import { asObject } from '../../core/json/loose-json.ts';
import { canceled } from '../../core/ledger/call-error.ts';
import type { CallGroup, Purpose, Selection } from '../../core/ledger/call-group.ts';
import { arrivalOf, type CallRecord, type Cost, clientClosedRequest } from '../../core/ledger/call-record.ts';
import { sumOfTokens } from '../../core/ledger/price.ts';
import type { Measurements } from '../../core/measurements.ts';
import type { Caller } from '../../core/organization/caller.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { type CallTrace, labelOf, measuredPreset, type RelayedRequest } from '../call.ts';
import { costOfCall, type PricedCall, sumOfCosts } from './cost-of-call.ts';
import { type CountedExchange, countTokens } from './count-tokens.ts';
import type { KnownModels } from './known-models.ts';
import { type ListPrices, listPricesFor } from './list-prices.ts';

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
 * Measures the tokens of a call, and creates its record. A promise until the list prices are
 * loaded; undefined if the call belongs to no workspace.
 */
export function recordOfCall(
  ended: EndedCall,
  listPrices: ListPrices,
  knownModels: KnownModels,
  measurements: Pick<Measurements, 'tokens'>,
): CallRecord | Promise<CallRecord> | undefined {
  const group = groupOf(ended, knownModels);
  if (group === undefined) return undefined;
  const { trace, headers, body, receivedAt, totalMs } = ended;
  const { facts, timings, isStreamed = false } = trace.exchange ?? {};
  const firstByteAt = timings?.firstByteAt;
  const error = ended.status === clientClosedRequest ? canceled : trace.error;
  const counted = countTokens(ended);
  for (const each of counted) measureTokens(each, group, trace, measurements);
  const record: Omit<CallRecord, 'cost'> = {
    id: trace.id,
    group,
    requestedModel: storable(requestedModel(body)),
    requestedPreset: trace.preset === undefined ? storable(trace.requestedPreset) : null,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    respondingModel: copied(facts?.model),
    upstreamId: copied(facts?.id),
    finishReason: copied(facts?.finishReason),
    tokens: sumOfTokens(counted.map(({ tokens }) => tokens)),
    isEstimated: counted.some(({ isEstimated }) => isEstimated),
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
  const prices = listPricesFor(group.dialect, listPrices);
  const costs = counted.map((exchange) => costOfCall(pricedCall(exchange, trace.id), prices));
  return withCost(record, costs);
}

function measureTokens(
  { exchange: { candidate }, tokens }: CountedExchange,
  { dialect }: CallGroup,
  trace: CallTrace,
  measurements: Pick<Measurements, 'tokens'>,
): void {
  const { input, output } = tokens;
  const upstream = candidate.upstream.name;
  measurements.tokens({ dialect, preset: measuredPreset(trace), upstream, input, output });
}

/**
 * A function of its own: a closure keeps everything that any closure of its function uses, and
 * records wait, so that one of `recordOfCall` would keep the bodies of all calls that wait.
 */
function withCost(
  record: Omit<CallRecord, 'cost'>,
  costs: readonly (Cost | Promise<Cost>)[],
): CallRecord | Promise<CallRecord> {
  const known = costs.filter((cost): cost is Cost => !(cost instanceof Promise));
  if (known.length === costs.length) return { ...record, cost: sumOfCosts(known) };
  return Promise.all(costs).then((loaded) => ({ ...record, cost: sumOfCosts(loaded) }));
}

function pricedCall(
  { exchange: { candidate, usage, facts }, tokens }: CountedExchange,
  id: string,
): PricedCall {
  const respondingModel = storable(facts.model);
  return { candidate, tokens, reportedCost: usage?.cost, respondingModel, at: arrivalOf(id) };
}

function groupOf(ended: EndedCall, knownModels: KnownModels): CallGroup | undefined {
  const { dialect, relayed, caller, headers, trace, status } = ended;
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
    model: knownModels.isKnown(workspaceId, trace) ? storable(trace.exchange?.candidate.model) : null,
    upstream: trace.upstream ?? null,
    dialect: labelOf({ dialect, relayed }),
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

/** The model that the client names besides a preset. */
function requestedModel({ model }: EndedCall['body']): unknown {
  return typeof model === 'string' && !model.startsWith('@preset/') ? model : undefined;
}

/** Each dialect has a place of its own for the end user. */
function endUserOf({ user, safety_identifier: identifier, metadata }: EndedCall['body']): unknown {
  return user ?? identifier ?? asObject(metadata).user_id;
}

const charactersMax = 256;

/** Clients and upstreams choose these texts. One that cannot be stored must not block others. */
function storable(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null;
  const short = text.slice(0, charactersMax).toWellFormed();
  return short.includes('\0') ? short.replaceAll('\0', '') : short;
}

/** A part of a text keeps the whole text in memory: here, that of a response. */
function copied(part: string | undefined): string | null {
  return part === undefined ? null : storable(Buffer.from(part).toString());
}

function rounded(ms: number): number {
  return Math.round(Math.max(0, ms) * 1_000) / 1_000;
}
