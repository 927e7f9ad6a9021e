import type { Generation } from '../../../../src/api/generations.ts';
import { formatCost, formatDuration } from '../../../../src/core/ledger/metric-text.ts';

type Details = Generation['presetd'];

/** Where the cost of a call comes from. */
export function sourceText(source: Details['cost_source']): string {
  switch (source) {
    case 'upstream':
      return 'Reported by the upstream';
    case 'file':
      return 'By the prices in the upstream file';
    case 'library':
      return 'List price of the provider';
    case 'free':
      return 'Nothing was billed';
    case null:
      return '';
  }
}

/** "$1.25 per million input tokens" */
export function priceLines(price: NonNullable<Details['price']>): readonly string[] {
  const parts = [
    [price.input_per_million, 'per million input tokens'],
    [price.cached_input_per_million, 'per million cached input tokens'],
    [price.cache_write_per_million, 'per million tokens written to the cache'],
    [price.output_per_million, 'per million output tokens'],
    [price.request, 'per call'],
  ] as const;
  return parts.flatMap(([amount, unit]) => (amount === undefined ? [] : [`${formatCost(amount)} ${unit}`]));
}

/** A fallback is recorded as `model;reason`. */
export function splitFallback(text: string): { readonly target: string; readonly reason: string } {
  const end = text.lastIndexOf(';');
  if (end === -1) return { target: text, reason: '' };
  return { target: text.slice(0, end), reason: text.slice(end + 1).replaceAll('_', ' ') };
}

/**
 * The speed of a stream after its first token, or of any other response over its whole time.
 * Undefined for few tokens or a short time, where one late chunk would decide the speed, and for
 * streams with reasoning, because the record does not say how much of it came before the first
 * token.
 */
export function tokensPerSecond(
  { total_ms: total, first_token_ms: firstToken }: Pick<Details, 'total_ms' | 'first_token_ms'>,
  output: number | null,
  reasoning: number | null,
): number | undefined {
  if (firstToken !== null && (reasoning ?? 0) > 0) return undefined;
  const ms = total - (firstToken ?? 0);
  return output === null || output < timedTokensMin || ms < timedMsMin ? undefined : (output * 1_000) / ms;
}

const timedTokensMin = 20;
const timedMsMin = 200;

/** Less than a few milliseconds: a whole number would hide it. */
export function ownTimeText(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : formatDuration(ms);
}

interface TimingPart {
  readonly kind: 'own' | 'waiting' | 'rest';
  /** Of the whole time, from 0 to 1. */
  readonly share: number;
}

/** presetd's own time, the time to the first token, and that of the rest of a stream. */
export function timingParts({
  total_ms: total,
  presetd_ms: own,
  first_token_ms: firstToken,
}: Pick<Details, 'total_ms' | 'presetd_ms' | 'first_token_ms'>): readonly TimingPart[] {
  if (total <= 0) return [];
  const ownShare = Math.min(1, Math.max(0, own) / total);
  const until = Math.max(ownShare, Math.min(1, (firstToken ?? total) / total));
  return [
    { kind: 'own', share: ownShare },
    { kind: 'waiting', share: until - ownShare },
    { kind: 'rest', share: 1 - until },
  ];
}
