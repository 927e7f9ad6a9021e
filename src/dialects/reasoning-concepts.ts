import type { ConceptPool } from './concept-pool.ts';
import { type Concept, type Readers, readParts, reads, readsBoolean } from './concepts.ts';
import { given, type JsonObject } from './json-object.ts';

/** What the chat and the responses dialect say in a field `reasoning`. */
export function readReasoning(reasoning: unknown, from: string): readonly Concept[] {
  return readParts(reasoning, from, readers);
}

const readers: Readers = {
  effort: reads('reasoningEffort'),
  max_tokens: reads('reasoningTokens'),
  enabled: readsBoolean((value, from) => ({ kind: 'isReasoning', value, from })),
  exclude: readsBoolean((isHidden, from) => readVisibility(!isHidden, from)),
  summary: reads('reasoningSummary'),
  generate_summary: reads('reasoningSummary'),
};

export function readVisibility(isShown: boolean, from: string): Concept {
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
  return given({ max_tokens: tokens, enabled: tokens === undefined ? isReasoning : undefined });
}
