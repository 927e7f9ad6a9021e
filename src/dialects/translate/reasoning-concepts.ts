import { type JsonObject, omitNullish } from '../json-object.ts';
import type { ConceptPool } from './concept-pool.ts';
import { type Concept, type ConceptParsers, parseAs, parseBoolean, parseParts } from './concepts.ts';

/** Parses the field `reasoning`, which chat completions and responses share. */
export function parseReasoning(reasoning: unknown, path: string): readonly Concept[] {
  return parseParts(reasoning, path, parsers);
}

const parsers: ConceptParsers = {
  effort: parseAs('reasoningEffort'),
  max_tokens: parseAs('reasoningTokens'),
  enabled: parseBoolean((value, path) => ({ kind: 'isReasoning', value, path })),
  exclude: parseBoolean((isHidden, path) => reasoningVisibility(!isHidden, path)),
  summary: parseAs('reasoningSummary'),
  generate_summary: parseAs('reasoningSummary'),
};

export function reasoningVisibility(isShown: boolean, path: string): Concept {
  return { kind: 'reasoningVisibility', value: isShown ? 'shown' : 'hidden', path };
}

/**
 * Writes the field `reasoning` except for its visibility, which the two dialects express
 * differently. OpenRouter rejects an effort together with a token budget; the effort is preferred,
 * because other upstreams know only that. The effort `none` turns reasoning off everywhere.
 */
export function writeReasoning(concepts: ConceptPool): JsonObject {
  const isReasoning = concepts.consume('isReasoning');
  if (isReasoning === false) {
    if (concepts.peek('reasoningEffort') === 'none') concepts.consume('reasoningEffort');
    return { effort: 'none' };
  }
  const effort = concepts.consume('reasoningEffort');
  if (effort !== undefined) return { effort };
  const tokens = concepts.consume('reasoningTokens');
  return omitNullish({ max_tokens: tokens, enabled: tokens === undefined ? isReasoning : undefined });
}
