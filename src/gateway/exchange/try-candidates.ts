import { PresetdError } from '../../core/errors.ts';
import type { Measurements } from '../../core/measurements.ts';
import { releaseAttempt, reserveAttempt } from '../budgets/reserve-attempt.ts';
import type { Call, CallTrace } from '../call.ts';
import type { GatewayOptions, GatewaySnapshot } from '../gateway-snapshot.ts';
import { failedAttempt } from '../ledger/content-of-call.ts';
import type { ObservedExchange } from '../ledger/observed-exchange.ts';
import type { AppliedCall } from '../plan/resolve-and-apply-preset.ts';
import type { Candidate, RoutePlan } from '../plan/router.ts';
import { type AdaptedRequest, buildUpstreamRequest } from '../request/upstream-request.ts';
import { ClientResponse } from '../response/client-response.ts';
import type { ResponseRewriter } from '../stored-ids/response-id-rewriter.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import {
  type ExchangeOutcome,
  exchangeWithUpstream,
  type UpstreamErrorResponse,
} from './upstream-exchange.ts';
import { errorCodeOf, toPresetdError, type UpstreamFailure } from './upstream-failure.ts';

/** A call with its preset applied, and the candidates it may be sent to. */
interface PlannedCall {
  readonly call: Call;
  readonly applied: AppliedCall;
  readonly plan: RoutePlan;
  readonly snapshot: GatewaySnapshot;
  readonly options: GatewayOptions;
  /** Signs the ids of stored responses; undefined if there can be none. */
  readonly createRewriter?: (candidate: Candidate) => ResponseRewriter | undefined;
}

/**
 * Sends a call to one candidate after the other until one of them responds. Each is tried once. The
 * client gets the last failure; it is thrown if it did not come from an upstream.
 */
export async function tryCandidates(planned: PlannedCall): Promise<void> {
  const { call, plan, options } = planned;
  const isOnlyCandidate = plan.candidates.length === 1;
  const candidates = availableCandidates(planned);
  const last = candidates.at(-1);
  for (const candidate of candidates) {
    const connection = connectionOf(planned, candidate);
    call.trace.upstream = candidate.upstream.name;
    const outcome = await attempt(planned, candidate, connection, isOnlyCandidate);
    if (outcome.kind === 'client-closed' || outcome.kind === 'delivered') return;
    if (outcome.kind === 'access-lost') throw outcome.error;
    if (outcome.kind === 'upstream-error') {
      if (isRetryable(outcome)) connection.retryAfter.record(candidate.model, outcome.headers['retry-after']);
      if (concernsOperator(outcome)) warnOfErrorResponse(call, candidate, outcome, options);
      if (candidate === last || !isRetryable(outcome)) {
        createResponse(planned, candidate).sendUpstreamError(outcome);
        return;
      }
      recordFailure(call, candidate, outcome);
      recordFallback(planned, candidate, String(outcome.status));
    } else {
      const { reason } = outcome.failure;
      if (candidate === last) {
        call.trace.failure = reason;
        throw toPresetdError(outcome.failure);
      }
      recordFailure(call, candidate, outcome);
      recordFallback(planned, candidate, reason);
    }
  }
}

async function attempt(
  planned: PlannedCall,
  candidate: Candidate,
  connection: UpstreamConnection,
  isOnlyCandidate: boolean,
): Promise<ExchangeOutcome> {
  const { call, applied, plan, options } = planned;
  const built = buildUpstreamRequest(call, applied, candidate, isOnlyCandidate, connection);
  call.trace.droppedFields = [...plan.droppedFields, ...built.droppedFields];
  const reserved = reserveAttempt(call, applied, candidate, built, options);
  const { request, reservation } = reserved instanceof Promise ? await reserved : reserved;
  const response = createResponse(planned, candidate, request);
  const outcome = await exchangeWithUpstream(connection, request, response);
  const exchange = response.observer.describe(outcome);
  if (reservation !== undefined && !exchange.mayBeCharged) releaseAttempt(call.trace, reservation);
  recordExchange(call.trace, exchange, options.measurements);
  if ('failure' in outcome && outcome.failure !== undefined) warn(call, candidate, outcome.failure, options);
  return outcome;
}

/** Adds an exchange that ended to the history of its call; measures it if it was sent. */
export function recordExchange(
  trace: CallTrace,
  exchange: ObservedExchange,
  measurements: Pick<Measurements, 'upstreamTime'>,
): void {
  const { startedAt, isSent, firstByteAt, endedAt } = exchange.timings;
  trace.upstreamMs += endedAt - startedAt;
  trace.exchange = exchange;
  if (exchange.mayBeCharged) trace.chargedExchanges.push(exchange);
  if (!isSent) return;
  measurements.upstreamTime({
    upstream: exchange.candidate.upstream.name,
    firstByteSeconds: firstByteAt === undefined ? undefined : (firstByteAt - startedAt) / 1_000,
    totalSeconds: (endedAt - startedAt) / 1_000,
  });
}

function createResponse(
  { call, applied, options, createRewriter }: PlannedCall,
  candidate: Candidate,
  request?: AdaptedRequest,
): ClientResponse {
  const choices = choicesOf(applied);
  const rewriter = createRewriter?.(candidate);
  return new ClientResponse(call, candidate, options.measurements, { choices, request, rewriter });
}

/** How many completions a request asks for. Only chat completions supports more than one. */
function choicesOf({ body: { n } }: AppliedCall): number {
  return typeof n === 'number' ? n : 1;
}

function connectionOf({ snapshot }: PlannedCall, { upstream }: Candidate): UpstreamConnection {
  const connection = snapshot.connections.get(upstream.name);
  if (connection === undefined) throw new Error(`no connection to the upstream "${upstream.name}"`);
  return connection;
}

/**
 * Skips candidates without an API key, and candidates that are backing off unless no others are
 * left. Skipped candidates are reported as fallbacks.
 */
function availableCandidates(planned: PlannedCall): readonly Candidate[] {
  const { candidates } = planned.plan;
  const [first] = candidates;
  const withKey = candidates.filter(({ upstream: { key } }) => key === undefined || key.secret !== undefined);
  if (withKey.length === 0) throw missingKeyError(planned, first);
  if (candidates.length === 1) return candidates;
  const responsive = withKey.filter(
    (candidate) => !connectionOf(planned, candidate).retryAfter.isBackingOff(candidate.model),
  );
  const available = responsive.length === 0 ? withKey : responsive;
  for (const candidate of candidates) {
    if (!withKey.includes(candidate)) recordFallback(planned, candidate, 'no-key');
    else if (!available.includes(candidate)) recordFallback(planned, candidate, 'retry-after');
  }
  return available;
}

/** Whether another upstream may succeed. Any other error is about the request itself. */
function isRetryable({ status }: UpstreamErrorResponse): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Whether the operator may have to act: a rejected key or a server error. */
function concernsOperator({ status }: UpstreamErrorResponse): boolean {
  return status === 401 || status === 407 || status >= 500;
}

/** Keeps `x-presetd-fallbacks` short, because clients choose the model names in it. */
const nameCharactersMax = 64;

/** For the logged content of the call. */
function recordFailure({ trace }: Call, { upstream }: Candidate, outcome: ExchangeOutcome): void {
  const failure = trace.content === undefined ? undefined : failedAttempt(upstream, outcome);
  if (failure !== undefined) trace.content?.failures.push(failure);
}

/** Adds a skipped or failed candidate to the response header and the metrics. */
function recordFallback(
  { call, options }: PlannedCall,
  { upstream, model = '' }: Candidate,
  reason: string,
): void {
  const name = encodeURIComponent(model.slice(0, nameCharactersMax).toWellFormed());
  call.trace.fallbacks.push(`${name};${reason}`);
  options.measurements.fallback({ upstream: upstream.name, reason });
}

function warn(
  { requestId }: Call,
  { upstream }: Candidate,
  { reason, message, cause }: UpstreamFailure,
  options: GatewayOptions,
): void {
  options.warn({ reqId: requestId, upstream: upstream.name, reason, code: errorCodeOf(cause) }, message);
}

function warnOfErrorResponse(
  { requestId }: Call,
  { upstream }: Candidate,
  { status }: UpstreamErrorResponse,
  options: GatewayOptions,
): void {
  const isRejectedKey = status === 401 || status === 407;
  const advice = isRejectedKey && upstream.key !== undefined ? `: check ${upstream.key.variable}` : '';
  options.warn({ reqId: requestId, upstream: upstream.name, status }, `upstream returned ${status}${advice}`);
}

function missingKeyError({ call }: PlannedCall, candidate: Candidate | undefined): PresetdError {
  const { name, key } = candidate?.upstream ?? {};
  call.trace.upstream = name;
  call.trace.failure = 'no-key';
  return new PresetdError(
    'upstream_misconfigured',
    `The upstream "${name}" has no key. Set ${key?.variable} in presetd's environment and restart it, or add it to .env and send SIGHUP.`,
  );
}
