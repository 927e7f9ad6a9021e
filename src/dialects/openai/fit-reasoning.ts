import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { DropLoss } from '../model/dialect.ts';

/**
 * The parts of `reasoning` that OpenAI has. The others are OpenRouter's. That reasoning is on is
 * the default.
 */
export function fitReasoning(reasoning: unknown, drop: DropLoss): JsonObject {
  if (!isJsonObject(reasoning)) return {};
  const { max_tokens: budget, exclude, enabled: _, ...rest } = reasoning;
  if (budget !== undefined) drop('reasoning.max_tokens', 'reasoningTokens');
  if (exclude !== undefined) drop('reasoning.exclude', 'reasoningVisibility');
  return rest;
}

/** In responses, requests reasoning in a form that can be sent back. */
export const encryptedReasoning = 'reasoning.encrypted_content';
