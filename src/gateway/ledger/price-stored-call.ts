import { arrivalOf } from '../../core/ledger/call-record.ts';
import type { PriceCall } from '../../core/ledger/reprice.ts';
import type { GatewaySettings } from '../upstreams/upstream.ts';
import { costOfCall } from './cost-of-call.ts';
import { type ListPrices, listPricesFor } from './list-prices.ts';

/**
 * Prices calls that are stored, by the prices in the upstream file as it is now, and list prices at
 * the time of the call. A call of an upstream that is not configured any more cannot be priced.
 */
export function createCallPricing({ upstreams }: GatewaySettings, listPrices: ListPrices): PriceCall {
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  return async ({ id, upstream: name, model, dialect, respondingModel, tokens, cost }) => {
    const upstream = name === null ? undefined : byName.get(name);
    // A cost without a price was reported, is that of several attempts, or is none.
    const isComputed = cost.nanos === null || cost.price !== null;
    if (upstream === undefined || !isComputed) return undefined;
    const candidate = { upstream, model: model ?? undefined };
    const priced = await costOfCall(
      { candidate, tokens, reportedCost: undefined, respondingModel, at: arrivalOf(id) },
      listPricesFor(dialect, listPrices),
    );
    return priced.nanos === null ? undefined : priced;
  };
}
