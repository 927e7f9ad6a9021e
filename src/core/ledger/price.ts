/** Counts in the sense of OpenAI: input includes cached tokens, output includes reasoning. */
export interface TokenCounts {
  readonly input: number | null;
  readonly cached: number | null;
  readonly cacheWrite: number | null;
  readonly output: number | null;
  readonly reasoning: number | null;
}

/** A count is null if it is null in all of them. */
export function sumOfTokens(counts: readonly TokenCounts[]): TokenCounts {
  const sum = (name: keyof TokenCounts) =>
    counts.reduce<number | null>(
      (total, { [name]: count }) => (count === null ? total : (total ?? 0) + count),
      null,
    );
  return {
    input: sum('input'),
    cached: sum('cached'),
    cacheWrite: sum('cacheWrite'),
    output: sum('output'),
    reasoning: sum('reasoning'),
  };
}

/** In US dollars. A model without a price for cached input has that of other input. */
export interface Price {
  readonly inputPerMillion?: number;
  readonly outputPerMillion?: number;
  readonly cachedInputPerMillion?: number;
  readonly cacheWritePerMillion?: number;
  /** For each call. */
  readonly request?: number;
}

/** A dollar per million tokens is this many billionths of a dollar per token. */
const nanosPerMillionth = 1_000;

/**
 * The cost of a call in billionths of a US dollar; undefined if the price depends on an unknown
 * count.
 */
export function costOf(tokens: TokenCounts, price: Price): number | undefined {
  const { inputPerMillion, outputPerMillion, request = 0 } = price;
  const { input, output } = tokens;
  if (inputPerMillion === undefined && outputPerMillion === undefined)
    return price.request === undefined ? undefined : toNanos(request);
  if (input === null && output === null) return undefined;
  // Embeddings have no output, and the transcript of a recording may have no input.
  if (input === null && inputPerMillion !== undefined && inputPerMillion > 0) return undefined;
  const cached = Math.min(tokens.cached ?? 0, input ?? 0);
  const written = Math.min(tokens.cacheWrite ?? 0, (input ?? 0) - cached);
  const plain = (input ?? 0) - cached - written;
  const { cachedInputPerMillion, cacheWritePerMillion } = price;
  const perMillion =
    plain * (inputPerMillion ?? 0) +
    cached * (cachedInputPerMillion ?? inputPerMillion ?? 0) +
    written * (cacheWritePerMillion ?? inputPerMillion ?? 0) +
    (output ?? 0) * (outputPerMillion ?? 0);
  return Math.round(perMillion * nanosPerMillionth + request * nanosPerDollar);
}

const nanosPerDollar = 1_000_000_000;

/** No call costs more. A larger amount is a mistake, and could not be stored or added up. */
export const dollarsMax = 1_000_000;

export function toNanos(dollars: number): number {
  return Math.round(dollars * nanosPerDollar);
}

/** Undefined for an amount that is not a whole number of billionths. */
export function exactNanos(dollars: number): number | undefined {
  // A product is not exact for millions, and what is below a millionth is written with an exponent.
  const nanos = dollars < 1 ? toNanos(dollars) : Number(`${dollars}e9`);
  return Number.isInteger(nanos) && toDollars(nanos) === dollars ? nanos : undefined;
}

export function toDollars(nanos: number): number {
  return nanos / nanosPerDollar;
}
