import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asList } from '../../core/json/loose-json.ts';
import { isSealed, sealReasoning, unsealReasoning } from '../model/sealed-reasoning.ts';
import type { ReasoningBlock } from '../model/turns.ts';

const dialect = 'responses';

/** Parses a reasoning item of a request. Its summary is the visible text, or else its content. */
export function parseReasoning(item: JsonObject, path: string): ReasoningBlock | undefined {
  const block = parseReceivedReasoning(item, path);
  return block && { ...block, original: unsealReasoning(item.encrypted_content) ?? block.original };
}

/** Parses a reasoning item of a response, which has to come back to the upstream as it is. */
export function parseReceivedReasoning(item: JsonObject, path: string): ReasoningBlock | undefined {
  if (item.type !== 'reasoning') return undefined;
  const summary = joinTexts(item.summary);
  return {
    kind: 'reasoning',
    text: summary ?? joinTexts(item.content) ?? '',
    isSummary: summary !== undefined,
    original: { dialect, part: item },
    path,
  };
}

function joinTexts(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  const texts = parts.filter(isJsonObject).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/**
 * Reasoning of another dialect is sealed in the encrypted content. It has no id. Its text is always
 * a summary, because clients show nothing else.
 */
export function writeReasoning({ text, original }: Pick<ReasoningBlock, 'text' | 'original'>): JsonObject {
  if (original.dialect === dialect) return original.part;
  return {
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: sealReasoning(original),
  };
}

/** Whether an item only refers to what OpenAI has stored. */
export function isReference({ encrypted_content: encrypted, content }: JsonObject): boolean {
  return typeof encrypted !== 'string' && asList(content).length === 0;
}

/** The item, unless it is reasoning of another dialect. */
export function withoutSealed(item: JsonObject): readonly JsonObject[] {
  return isSealed(item.encrypted_content) ? [] : [item];
}
