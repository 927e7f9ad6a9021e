import type { Cost } from '../../core/ledger/call-record.ts';
import { costOf, dollarsMax, type Price, type TokenCounts, toNanos } from '../../core/ledger/price.ts';
import { type Candidate, createModelMatcher } from '../plan/router.ts';
import { stripPrefix } from '../request/upstream-request.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { ListPrices } from './list-prices.ts';

export interface PricedCall {
  readonly candidate: Pick<Candidate, 'upstream' | 'model'>;
  readonly tokens: TokenCounts;
  /** As the upstream reported it, in US dollars. */
  readonly reportedCost: number | undefined;
  readonly respondingModel: string | null;
  /** In milliseconds since 1970. */
  readonly at: number;
}

const unknownCost: Cost = { nanos: null, source: null, price: null };

/**
 * The cost of a call: as the upstream reports it, else by the prices in the upstream file, else by
 * the provider's list prices. Null if nobody knows. A promise until the list prices are loaded.
 */
export function costOfCall(call: PricedCall, listPrices: ListPrices): Cost | Promise<Cost> {
  const { candidate, tokens, reportedCost, respondingModel, at } = call;
  if (reportedCost !== undefined) return { nanos: toNanos(reportedCost), source: 'upstream', price: null };
  const { upstream, model } = candidate;
  const configured = model === undefined ? undefined : configuredPrice(upstream, model);
  if (configured !== undefined) return priced(tokens, configured, 'file');
  const names = [model === undefined ? null : stripPrefix(upstream, model), respondingModel];
  for (const name of names) {
    const price = name === null ? undefined : listPrices.find(upstream.kind, name, tokens.input ?? 0, at);
    if (price instanceof Promise) return price.then(() => costOfCall(call, listPrices));
    if (price !== undefined) return priced(tokens, price, 'library');
  }
  return unknownCost;
}

/**
 * The total cost of several attempts; null if that of one is not known. There is no price then:
 * that of the last one is not what the others cost.
 */
export function sumOfCosts(costs: readonly Cost[]): Cost {
  const [first] = costs;
  if (first === undefined) return { nanos: 0, source: 'free', price: null };
  if (costs.length === 1) return first;
  const known = costs.flatMap(({ nanos }) => nanos ?? []);
  if (known.length < costs.length) return unknownCost;
  const source = leastCertain.find((name) => costs.some((cost) => cost.source === name)) ?? null;
  return { nanos: known.reduce((sum, nanos) => sum + nanos, 0), source, price: null };
}

const leastCertain = ['library', 'file', 'upstream'] as const;

/** The first pattern that matches counts. */
export function configuredPrice(upstream: Upstream, model: string): Price | undefined {
  if (upstream.prices.length === 0) return undefined;
  let matchers = compiled.get(upstream);
  if (matchers === undefined) {
    matchers = upstream.prices.map(({ pattern, price }) => ({
      matches: createModelMatcher([pattern]),
      price,
    }));
    compiled.set(upstream, matchers);
  }
  return matchers.find(({ matches }) => matches(model))?.price;
}

interface PriceMatcher {
  readonly matches: (model: string) => boolean;
  readonly price: Price;
}

const compiled = new WeakMap<Upstream, readonly PriceMatcher[]>();

function priced(tokens: TokenCounts, price: Price, source: 'file' | 'library'): Cost {
  const nanos = costOf(tokens, price);
  return nanos === undefined || nanos > toNanos(dollarsMax) ? unknownCost : { nanos, source, price };
}
