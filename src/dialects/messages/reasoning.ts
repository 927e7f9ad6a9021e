import type { JsonObject } from '../../core/json/json-object.ts';
import { asList } from '../../core/json/loose-json.ts';
import { isSealed, sealReasoning, unsealReasoning, withoutParts } from '../model/sealed-reasoning.ts';
import type { ReasoningBlock } from '../model/turns.ts';

const dialect = 'messages';

/**
 * Parses a block of a request: thinking, or one whose text is hidden. Returns undefined for any
 * other block.
 */
export function parseReasoning(part: JsonObject, path: string): ReasoningBlock | undefined {
  const block = parseReceivedReasoning(part, path);
  return block && { ...block, original: unsealReasoning(part.signature) ?? block.original };
}

/** Parses a block of a response, which has to come back to the upstream as it is. */
export function parseReceivedReasoning(part: JsonObject, path: string): ReasoningBlock | undefined {
  const { type, thinking } = part;
  const original = { dialect, part } as const;
  if (type === 'redacted_thinking') return { kind: 'reasoning', text: '', isSummary: false, original, path };
  if (type !== 'thinking' || typeof thinking !== 'string') return undefined;
  return { kind: 'reasoning', text: thinking, isSummary: false, original, path };
}

/** Reasoning of another dialect is sealed in the signature, also if it has no visible text. */
export function writeReasoning({ text, original }: ReasoningBlock): JsonObject {
  if (original.dialect === dialect) return original.part;
  return { type: 'thinking', thinking: text, signature: sealReasoning(original) };
}

/** A message without the reasoning of other dialects; none if nothing else is in it. */
export function withoutSealed(message: JsonObject): readonly JsonObject[] {
  const kept = withoutParts(message, 'content', ({ signature }) => isSealed(signature));
  return kept !== message && asList(kept.content).length === 0 ? [] : [kept];
}
