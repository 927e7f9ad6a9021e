import type { ConceptPool } from './concept-pool.ts';
import { type Concept, type ConceptParsers, parseAs, parseBoolean, parseParts } from './concepts.ts';
import { type JsonObject, omitNullish } from './json-object.ts';

/** What the chat and the responses dialect say in a field `reasoning`. */
export function parseReasoning(reasoning: unknown, from: string): readonly Concept[] {
  return parseParts(reasoning, from, readers);
}

const readers: ConceptParsers = {
  effort: parseAs('reasoningEffort'),
  max_tokens: parseAs('reasoningTokens'),
  enabled: parseBoolean((value, from) => ({ kind: 'isReasoning', value, from })),
  exclude: parseBoolean((isHidden, from) => reasoningVisibility(!isHidden, from)),
  summary: parseAs('reasoningSummary'),
  generate_summary: parseAs('reasoningSummary'),
};

export function reasoningVisibility(isShown: boolean, from: string): Concept {
  return { kind: 'reasoningVisibility', value: isShown ? 'shown' : 'hidden', from };
}

/**
 * A field `reasoning`, but for its visibility. OpenRouter refuses an effort together with a budget, and only the effort
 * is known to others, so that it is preferred. An effort of `none` turns reasoning off for everyone.
 */
export function writeReasoning(concepts: ConceptPool): JsonObject {
  const isReasoning = concepts.take('isReasoning');
  if (isReasoning === false) {
    if (concepts.see('reasoningEffort') === 'none') concepts.take('reasoningEffort');
    return { effort: 'none' };
  }
  const effort = concepts.take('reasoningEffort');
  if (effort !== undefined) return { effort };
  const tokens = concepts.take('reasoningTokens');
  return omitNullish({ max_tokens: tokens, enabled: tokens === undefined ? isReasoning : undefined });
}
