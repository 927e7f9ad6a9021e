import type { JsonObject } from '../../core/json/json-object.ts';
import { costOf, type Price } from '../../core/ledger/price.ts';
import { configuredPrice } from '../ledger/cost-of-call.ts';
import { hasOutput, isMedia, type ListPrices, listPricesFor } from '../ledger/list-prices.ts';
import type { Candidate } from '../plan/router.ts';
import { type AdaptedRequest, stripPrefix } from '../request/upstream-request.ts';
import { estimateTokensCautiously } from '../tokens/cautious-estimate.ts';

/** The maximum cost of an attempt. */
export interface LargestCost {
  /** Without output, in billionths of a US dollar. */
  readonly fixed: number;
  /** For each token of output that the request allows: more than one for several choices. */
  readonly perOutputToken: number;
  /** How many tokens the request allows; undefined if it has no limit. */
  readonly outputLimit: number | undefined;
}

/**
 * Computes what an attempt may cost before it is sent: its input is estimated, and its output is
 * what it allows. Undefined if a price is unknown. A promise until the list prices are loaded.
 */
export function largestCost(
  candidate: Candidate,
  { body, json = {} }: Pick<AdaptedRequest, 'body' | 'json'>,
  label: string,
  listPrices: ListPrices,
): LargestCost | undefined | Promise<LargestCost | undefined> {
  const input = body === null ? 0 : estimateTokensCautiously(body);
  const prices = pricesOf(candidate, input, listPricesFor(label, listPrices));
  if (prices.some((price) => price instanceof Promise))
    return Promise.all(prices).then((loaded) => largestOf(loaded, input, json, label));
  return largestOf(prices as readonly (Price | undefined)[], input, json, label);
}

/** OpenRouter may go on with a fallback of its own. */
function pricesOf({ upstream, model, fallbacks }: Candidate, input: number, listPrices: ListPrices) {
  const models = model === undefined ? fallbacks : [model, ...fallbacks];
  return models.map(
    (name) =>
      configuredPrice(upstream, name) ??
      listPrices.find(upstream.kind, stripPrefix(upstream, name), input, Date.now()),
  );
}

function largestOf(
  prices: readonly (Price | undefined)[],
  input: number,
  json: JsonObject,
  label: string,
): LargestCost | undefined {
  const costs = prices.map((price) => price && costOfRequest(price, input, json, label));
  if (costs.length === 0 || costs.includes(undefined)) return undefined;
  const known = costs.filter((cost) => cost !== undefined);
  return {
    fixed: Math.max(...known.map(({ fixed }) => fixed)),
    perOutputToken: Math.max(...known.map(({ perOutputToken }) => perOutputToken)),
    outputLimit: outputLimitOf(json),
  };
}

function costOfRequest(price: Price, input: number, json: JsonObject, label: string) {
  const { inputPerMillion, outputPerMillion = 0, cacheWritePerMillion = 0, request } = price;
  // How many tokens an image or a second of sound has is known only afterwards.
  if (isMedia(label) && request === undefined) return undefined;
  const dearest =
    inputPerMillion === undefined
      ? price
      : { ...price, inputPerMillion: Math.max(inputPerMillion, cacheWritePerMillion) };
  const counted = isMedia(label) ? null : input;
  const fixed = costOf(
    { input: counted, cached: null, cacheWrite: null, output: 0, reasoning: null },
    dearest,
  );
  if (fixed === undefined) return undefined;
  const perToken = !hasOutput(label) || isMedia(label) ? 0 : outputPerMillion * nanosPerMillionth;
  return { fixed, perOutputToken: perToken * choicesOf(json) };
}

const nanosPerMillionth = 1_000;

/**
 * `best_of` completions are written for `n` that are returned, for each prompt of a list. Some
 * servers accept numbers as text.
 */
function choicesOf({ n, best_of: bestOf, prompt }: JsonObject): number {
  const counts = [n, bestOf].map(Number).filter((count) => count > 1);
  return Math.max(1, ...counts) * promptsOf(prompt);
}

/** A list of numbers is one prompt, in tokens. */
function promptsOf(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1;
}

export const outputLimitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

/** Undefined if the request allows any length. To some servers, a negative limit is none. */
export function outputLimitOf(json: JsonObject): number | undefined {
  const limits = outputLimitFields.map((name) => json[name] ?? undefined);
  const given = limits.filter((limit) => limit !== undefined);
  const isLimit = (limit: unknown): limit is number => typeof limit === 'number' && limit > 0;
  return given.length > 0 && given.every(isLimit) ? Math.max(...given) : undefined;
}
