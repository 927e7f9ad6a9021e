import type { calcPrice } from '@pydantic/genai-prices';
import type { Price } from '../../core/ledger/price.ts';
import type { UpstreamKind } from '../upstreams/upstream.ts';

/** The library's names of the providers. Servers that anybody runs have no list prices. */
export const providers: Readonly<Record<UpstreamKind, string | undefined>> = {
  openrouter: 'openrouter',
  openai: 'openai',
  anthropic: 'anthropic',
  'azure-openai': 'azure',
  gemini: 'google',
  mistral: 'mistral',
  groq: 'groq',
  together: 'together',
  fireworks: 'fireworks',
  deepseek: 'deepseek',
  xai: 'x-ai',
  ollama: undefined,
  vllm: undefined,
  'openai-compatible': undefined,
};

/** The prices of a model at some time. A price may depend on the number of input tokens. */
type Rates = NonNullable<ReturnType<typeof calcPrice>>['model_price'];
type Rate = Rates[string];

/** Some prices depend on the time of day, to the half hour. */
const validMs = 900_000;
const knownMax = 5_000;

export interface ListPrices {
  /** The price of a call; undefined if the library lacks the model. A promise until it loads. */
  find(
    kind: UpstreamKind,
    model: string,
    inputTokens: number,
    at: number,
  ): Price | undefined | Promise<Price | undefined>;
}

/**
 * List prices of providers, from a maintained library. It is loaded when it is first needed, and
 * asked once for each model in a while, because an answer takes 60 µs.
 */
export function createListPrices(): ListPrices {
  const known = new Map<string, PriceOf | undefined>();
  let library: { readonly calcPrice: typeof calcPrice } | undefined;
  const listPrices: ListPrices = {
    find(kind, model, inputTokens, at) {
      const providerId = providers[kind];
      if (providerId === undefined) return undefined;
      if (library === undefined)
        return import('@pydantic/genai-prices').then((loaded) => {
          library = loaded;
          return listPrices.find(kind, model, inputTokens, at);
        });
      const key = `${providerId} ${Math.floor(at / validMs)} ${model}`;
      if (!known.has(key)) {
        if (known.size >= knownMax) known.clear();
        const timestamp = new Date(at);
        const rates = library.calcPrice({ input_tokens: 0 }, model, { providerId, timestamp })?.model_price;
        known.set(key, rates && knownPrice(rates));
      }
      return known.get(key)?.(inputTokens);
    },
  };
  return listPrices;
}

type PriceOf = (inputTokens: number) => Price | undefined;

/** The prices of a model by the number of input tokens. Most models have one, whatever it is. */
function knownPrice(rates: Rates): PriceOf {
  const tiers = Object.values(rates).flatMap((rate) => (typeof rate === 'object' ? rate.tiers : []));
  const starts = [...new Set(tiers.map(({ start }) => start))].toSorted((one, other) => one - other);
  const steps = starts.map((start) => ({ start, price: priceOf(rates, start + 1) }));
  const base = priceOf(rates, 0);
  return (inputTokens) => {
    const step = steps.findLast(({ start }) => inputTokens > start);
    return step === undefined ? base : step.price;
  };
}

function priceOf(rates: Rates, inputTokens: number): Price | undefined {
  const rate = (name: string) => rateFor(rates[name], inputTokens);
  const perThousand = rate('requests_kcount');
  const price = {
    inputPerMillion: rate('input_mtok'),
    outputPerMillion: rate('output_mtok'),
    cachedInputPerMillion: rate('cache_read_mtok'),
    cacheWritePerMillion: rate('cache_write_mtok'),
    request: perThousand === undefined ? undefined : perThousand / 1_000,
  };
  const entries = Object.entries(price).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Price);
}

/** A request with more input tokens than a tier's start has that price for all tokens. */
function rateFor(rate: Rate, inputTokens: number): number | undefined {
  if (typeof rate !== 'object') return rate;
  const tier = rate.tiers.findLast(({ start }) => inputTokens > start);
  return tier?.price ?? rate.base;
}

/** The library knows text only: an image or a second of sound would be counted as text. */
export function listPricesFor(label: string, listPrices: ListPrices): ListPrices {
  return isMedia(label) ? noListPrices : listPrices;
}

const noListPrices: ListPrices = { find: () => undefined };

/** Whether requests to an endpoint, or its responses, are no text. */
export function isMedia(label: string): boolean {
  return /^(?:images|audio)\b/.test(label);
}

/** Whether responses of an endpoint have output tokens. */
export function hasOutput(label: string): boolean {
  return !labelsWithoutOutput.has(label);
}

const labelsWithoutOutput = new Set(['embeddings', 'moderations', 'rerank']);
