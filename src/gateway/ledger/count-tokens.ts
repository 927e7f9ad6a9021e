import type { TokenCounts } from '../../core/ledger/price.ts';
import { type Call, labelOf, type RelayedRequest } from '../call.ts';
import type { Candidate } from '../plan/router.ts';
import { configuredPrice } from './cost-of-call.ts';
import { estimateMissingTokens } from './estimate-missing-tokens.ts';
import { hasOutput, isMedia } from './list-prices.ts';
import type { ObservedExchange } from './observed-exchange.ts';

/** An exchange that the upstream may charge for. */
export interface CountedExchange {
  readonly exchange: ObservedExchange;
  readonly tokens: TokenCounts;
  /** Whether a part of the tokens is an estimate. */
  readonly isEstimated: boolean;
}

/**
 * The tokens of a call that has ended, by exchange: several if upstreams may charge for failed
 * attempts. Both the record of the call and metrics have these.
 */
export function countTokens(
  call: Pick<Call, 'dialect' | 'body' | 'trace'> & { readonly relayed?: RelayedRequest | undefined },
): readonly CountedExchange[] {
  const label = labelOf(call);
  return call.trace.chargedExchanges
    .filter(({ candidate }) => !isFree(candidate, label))
    .map((exchange) => countExchange(exchange, call.body, label));
}

/** Endpoints that only count, and those of stored responses, whose tokens were counted before. */
const freeLabels = new Set(['stored-responses', 'messages/count_tokens', 'responses/input_tokens']);

/** Whether nobody charges for it. OpenAI moderates for free, unless the file has a price. */
export function isFree({ upstream, model }: Candidate, label: string): boolean {
  if (freeLabels.has(label)) return true;
  const isFreeModeration = label === 'moderations' && upstream.kind === 'openai';
  return isFreeModeration && (model === undefined || configuredPrice(upstream, model) === undefined);
}

function countExchange(exchange: ObservedExchange, body: Call['body'], label: string): CountedExchange {
  const { usage, isComplete } = exchange;
  const isReported = isComplete && usage?.input !== undefined && usage.output !== undefined;
  const needsNone = isReported || isMedia(label) || continuesInBackground(exchange, body);
  const estimated = needsNone ? {} : estimateMissingTokens(exchange, hasOutput(label));
  const tokens = {
    input: estimated.input ?? usage?.input ?? null,
    cached: usage?.cacheRead ?? null,
    cacheWrite: usage?.cacheWrite ?? null,
    output: estimated.output ?? usage?.output ?? null,
    reasoning: usage?.reasoning ?? null,
  };
  return { exchange, tokens, isEstimated: Object.keys(estimated).length > 0 };
}

/** Whether the upstream continues the response after the call, so its tokens are unknown. */
function continuesInBackground({ facts, isComplete }: ObservedExchange, body: Call['body']): boolean {
  const { finishReason } = facts;
  return (
    finishReason === 'queued' || finishReason === 'in_progress' || (body.background === true && !isComplete)
  );
}
