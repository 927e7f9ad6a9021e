import { PresetdError } from '../core/errors.ts';
import type { Call } from './call.ts';
import { ClientResponse } from './client-response.ts';
import type { GatewayOptions, GatewaySnapshot } from './gateway-snapshot.ts';
import type { AppliedCall } from './resolve-and-apply-preset.ts';
import type { Candidate, RoutePlan } from './router.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import {
  type ExchangeOutcome,
  exchangeWithUpstream,
  type UpstreamErrorResponse,
} from './upstream-exchange.ts';
import { errorCodeOf, toPresetdError, type UpstreamFailure } from './upstream-failure.ts';
import { buildUpstreamRequest } from './upstream-request.ts';

/** A call that is ready to be sent, and where it may go. */
export interface PlannedCall {
  readonly call: Call;
  readonly applied: AppliedCall;
  readonly plan: RoutePlan;
  readonly snapshot: GatewaySnapshot;
  readonly options: GatewayOptions;
}

/** Sends a call to one candidate after the other until one of them answers it. */
export async function tryCandidates(planned: PlannedCall): Promise<void> {
  const { call, plan, options } = planned;
  const isForOne = plan.candidates.length === 1;
  const candidates = availableCandidates(planned);
  const last = candidates.at(-1);
  for (const candidate of candidates) {
    const connection = connectionOf(planned, candidate);
    call.trace.upstream = candidate.upstream.name;
    const outcome = await attempt(planned, candidate, connection, isForOne);
    if (outcome.kind === 'gone' || outcome.kind === 'sent') return;
    if (outcome.kind === 'refused') {
      if (isRetryable(outcome)) connection.retryAfter.record(candidate.model, outcome.headers['retry-after']);
      if (isTrouble(outcome)) warnOfRefusal(call, candidate, outcome, options);
      if (candidate === last || !isRetryable(outcome)) {
        new ClientResponse(call, candidate.upstream, options.measurements).sendUpstreamError(outcome);
        return;
      }
      noteFallback(planned, candidate, String(outcome.status));
    } else {
      if (candidate === last) throw toPresetdError(outcome.failure);
      noteFallback(planned, candidate, outcome.failure.reason);
    }
  }
}

async function attempt(
  { call, applied, plan, options }: PlannedCall,
  candidate: Candidate,
  connection: UpstreamConnection,
  isForOne: boolean,
): Promise<ExchangeOutcome> {
  const outgoing = buildUpstreamRequest(call, applied.body, candidate, isForOne, connection);
  call.trace.droppedFields = [...applied.droppedFields, ...plan.droppedFields, ...outgoing.droppedFields];
  const answer = new ClientResponse(call, candidate.upstream, options.measurements, choicesOf(applied));
  const outcome = await exchangeWithUpstream(connection, outgoing, answer);
  answer.recordMetrics();
  if ('failure' in outcome && outcome.failure !== undefined) warn(call, candidate, outcome.failure, options);
  return outcome;
}

/** How many answers a request asks for at once; only chat completions can ask for several. */
function choicesOf({ body: { n } }: AppliedCall): number {
  return typeof n === 'number' ? n : 1;
}

function connectionOf({ snapshot }: PlannedCall, { upstream }: Candidate): UpstreamConnection {
  const connection = snapshot.connections.get(upstream.name);
  if (connection === undefined) throw new Error('an upstream without connections');
  return connection;
}

/** Without those that have no key; and without those that asked to be left alone, unless there is nobody else. */
function availableCandidates(planned: PlannedCall): readonly Candidate[] {
  const { candidates } = planned.plan;
  const [first] = candidates;
  const keyed = candidates.filter(({ upstream: { key } }) => key === undefined || key.secret !== undefined);
  if (keyed.length === 0) throw missingKeyError(planned, first);
  if (candidates.length === 1) return candidates;
  const warm = keyed.filter(
    (candidate) => !connectionOf(planned, candidate).retryAfter.isBackingOff(candidate.model),
  );
  const ready = warm.length === 0 ? keyed : warm;
  for (const candidate of candidates) {
    if (!keyed.includes(candidate)) noteFallback(planned, candidate, 'no-key');
    else if (!ready.includes(candidate)) noteFallback(planned, candidate, 'retry-after');
  }
  return ready;
}

/** Whether another upstream may do better. */
function isRetryable({ status }: UpstreamErrorResponse): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** What the operator may have to do something about. */
function isTrouble({ status }: UpstreamErrorResponse): boolean {
  return status === 401 || status === 407 || status >= 500;
}

/** How much of the name of a model is told in a header. */
const nameCharactersMax = 64;

function noteFallback(
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

function warnOfRefusal(
  { requestId }: Call,
  { upstream }: Candidate,
  { status }: UpstreamErrorResponse,
  options: GatewayOptions,
): void {
  const isKey = status === 401 || status === 407;
  const more = isKey && upstream.key !== undefined ? `: check ${upstream.key.variable}` : '';
  options.warn(
    { reqId: requestId, upstream: upstream.name, status },
    `an upstream answered ${status}${more}`,
  );
}

function missingKeyError({ call }: PlannedCall, candidate: Candidate | undefined): PresetdError {
  const { name, key } = candidate?.upstream ?? {};
  call.trace.upstream = name;
  return new PresetdError(
    'upstream_misconfigured',
    `The upstream "${name}" has no key. Set ${key?.variable} in the environment of presetd and start it again, or put it into .env and send SIGHUP.`,
  );
}
