import { limitOfKey, overBudget } from '../../core/budgets/key-limit.ts';
import {
  type LimitedSpender,
  OverLimit,
  type Reservation,
  type Spending,
} from '../../core/budgets/spending.ts';
import { PresetdError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { formatCost } from '../../core/ledger/metric-text.ts';
import { toDollars } from '../../core/ledger/price.ts';
import type { ResolvedKey } from '../../core/organization/caller.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { type Call, type CallTrace, labelOf } from '../call.ts';
import { isFree } from '../ledger/count-tokens.ts';
import type { ListPrices } from '../ledger/list-prices.ts';
import type { AppliedCall } from '../plan/resolve-and-apply-preset.ts';
import type { Candidate } from '../plan/router.ts';
import type { AdaptedRequest } from '../request/upstream-request.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';
import { type LargestCost, largestCost, outputLimitFields, outputLimitOf } from './largest-cost.ts';

export interface BudgetOptions {
  readonly spending: Pick<Spending, 'reserve' | 'remaining'>;
  readonly listPrices: ListPrices;
}

/** A request to an upstream, and what it may cost at most. */
interface ReservedRequest {
  readonly request: AdaptedRequest;
  /** Undefined if nothing limits the call. */
  readonly reservation?: Reservation;
}

/**
 * Sets aside what an attempt may cost at most, if the key of the call has a limit. Gives the call
 * an output limit if it has none. Throws `forbidden` if the limit of the key has no room for it, or
 * if its price is unknown.
 */
export function reserveAttempt(
  call: Call,
  applied: AppliedCall,
  candidate: Candidate,
  request: AdaptedRequest,
  options: BudgetOptions,
): ReservedRequest | Promise<ReservedRequest> {
  const { caller } = call;
  const spender = caller.kind === 'session' ? undefined : limitOfKey(caller);
  if (spender === undefined || isFree(candidate, labelOf(call))) return { request };
  const isUnbounded = outputLimitOf(applied.body) === undefined;
  return reserve({ call, key: caller as ResolvedKey, spender, isUnbounded }, candidate, request, options);
}

interface LimitedCall {
  readonly call: Call;
  readonly key: ResolvedKey;
  readonly spender: LimitedSpender;
  /** Whether it has no output limit. A translation may have given it one. */
  readonly isUnbounded: boolean;
}

async function reserve(
  { call, key, spender, isUnbounded }: LimitedCall,
  candidate: Candidate,
  request: AdaptedRequest,
  { spending, listPrices }: BudgetOptions,
): Promise<ReservedRequest> {
  const { trace } = call;
  const cost = await largestCost(candidate, request, labelOf(call), listPrices);
  if (cost === undefined) throw unknownPrice(call, candidate);
  const needsLimit = isUnbounded && cost.perOutputToken > 0;
  const remaining = needsLimit ? await spending.remaining(spender) : 0;
  const outputLimit = needsLimit ? affordableOutput(cost, remaining) : cost.outputLimit;
  const refuse = (reason: string, spentNanos: number) => overBudget({ key, spentNanos }, reason, Date.now());
  if (needsLimit && (outputLimit ?? 0) < outputLimitMin)
    throw refuse(tooLittleOutput(cost, remaining), spender.limit.nanos - remaining);
  const nanos = Math.ceil(cost.fixed + cost.perOutputToken * (outputLimit ?? 0));
  let reservation: Reservation;
  try {
    reservation = await spending.reserve([spender], nanos);
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    throw refuse(tooLittleLeft(cost, nanos, error), error.spent);
  }
  trace.reservations.push(reservation);
  if (!needsLimit || outputLimit === undefined) return { request, reservation };
  const json = withOutputLimit(request, candidate, call, outputLimit);
  if (json === undefined) return { request, reservation };
  trace.outputLimit = outputLimit;
  return { request: { ...request, json, body: JSON.stringify(json) }, reservation };
}

/** Gives back what an attempt has set aside that upstreams do not charge for. */
export function releaseAttempt(trace: CallTrace, reservation: Reservation): void {
  reservation.settle(0);
  trace.reservations = trace.reservations.filter((each) => each !== reservation);
}

/** Default output limit; less near the spending limit. Most models write as much. */
const outputLimitDefault = 8_192;
/** One call gets at most this share of what is left. */
const shareOfRest = 1 / 10;
/** A response that is cut off earlier is of no use. */
const outputLimitMin = 256;

function affordableOutput(
  { fixed, perOutputToken, outputLimit = outputLimitDefault }: LargestCost,
  remaining: number,
): number {
  const affordable = Math.floor((remaining * shareOfRest - fixed) / perOutputToken);
  return Math.min(outputLimit, affordable);
}

const nothingLeft = 'Ask an org:admin to raise it.';

function tooLittleOutput(cost: LargestCost, rest: number): string {
  if (rest <= cost.fixed) return rest <= 0 ? nothingLeft : tooLongInput(cost.fixed);
  return `The call has no output limit, and a tenth of what is left pays for fewer than ${outputLimitMin} tokens of output. Send an output limit, such as max_tokens, or ask an org:admin to raise the limit of the key.`;
}

function tooLittleLeft({ fixed }: LargestCost, nanos: number, { limit, spent }: OverLimit): string {
  const rest = limit.nanos - spent;
  if (rest <= 0) return nothingLeft;
  if (rest <= fixed) return tooLongInput(fixed);
  const others = rest >= nanos ? ', and other calls may use up what is left' : '';
  return `The call may cost ${formatCost(toDollars(nanos))}${others}. Send a lower output limit, such as max_tokens, or ask an org:admin to raise the limit of the key.`;
}

function tooLongInput(fixed: number): string {
  return `The input of the call alone may cost ${formatCost(toDollars(fixed))}. Send less, or ask an org:admin to raise the limit of the key.`;
}

function unknownPrice({ trace }: Call, { upstream, model }: Candidate): PresetdError {
  trace.failure = 'unknown-price';
  const messageAbout = (priced: string) =>
    `This key has a spending limit, and the price of ${priced} at the upstream "${upstream.name}" is not known. Add it to prices of the upstream in the upstream file, or use a key without a limit.`;
  const unquotedMessage = messageAbout('the model');
  const message = model === undefined ? messageAbout('the call') : messageAbout(JSON.stringify(model));
  return new PresetdError('forbidden', message, { code: 'unknown_price', unquotedMessage });
}

/** Undefined if the request has no field for it. */
function withOutputLimit(
  { json }: AdaptedRequest,
  { upstream, dialect }: Candidate,
  { relayed }: Call,
  tokens: number,
): JsonObject | undefined {
  if (json === undefined || relayed?.endpoint === 'responses/compact') return undefined;
  const name = relayed?.endpoint === 'completions' ? 'max_tokens' : outputLimitNames[dialect];
  const renamed = kinds[upstream.kind].quirks?.[dialect]?.renamed.get(name) ?? name;
  // An invalid limit would contradict it.
  const others = Object.entries(json).filter(([field]) => !limitFields.has(field));
  return { ...Object.fromEntries(others), [renamed]: tokens };
}

const limitFields: ReadonlySet<string> = new Set(outputLimitFields);

const outputLimitNames: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'max_completion_tokens',
  messages: 'max_tokens',
  responses: 'max_output_tokens',
};
