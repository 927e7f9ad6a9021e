import { isJsonObject, type JsonObject, nonEmptyObject } from '../../core/json/json-object.ts';
import { asList, asObjects } from '../../core/json/loose-json.ts';
import type { DropLoss } from '../model/dialect.ts';
import { encryptedReasoning, fitReasoning } from '../openai/fit-reasoning.ts';

/**
 * Responses stores conversations unless told otherwise, which no other dialect does. Its reasoning
 * then has to be sent back, which OpenAI only allows for if it is asked for encrypted reasoning;
 * models without reasoning reject that.
 */
export function fitRequest(body: JsonObject, drop: DropLoss): JsonObject {
  const { reasoning: given, include, ...rest } = withInput(body);
  const { max_output_tokens: limit } = rest;
  const isTooLow = typeof limit === 'number' && limit < outputTokensMin;
  if (isTooLow) drop('max_output_tokens');
  const reasoning = nonEmptyObject(fitReasoning(given, drop));
  const isReasoning = (isJsonObject(given) && given.effort !== 'none') || hasReasoning(rest.input);
  const included = asList(include);
  const isIncluded = !isReasoning || included.includes(encryptedReasoning);
  const parts = isIncluded ? included : [...included, encryptedReasoning];
  return {
    store: false,
    ...rest,
    ...(isTooLow && { max_output_tokens: outputTokensMin }),
    ...(reasoning !== undefined && { reasoning }),
    ...(parts.length > 0 && { include: parts }),
  };
}

/** OpenAI rejects instructions without input, but an instruction may be the input. */
function withInput(body: JsonObject): JsonObject {
  const { instructions, ...rest } = body;
  if (!isEmptyList(body.input) || typeof instructions !== 'string') return body;
  return { ...rest, input: [{ type: 'message', role: 'system', content: instructions }] };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** OpenAI rejects less. Claude Code asks for one token to see whether a model responds. */
const outputTokensMin = 16;

function hasReasoning(input: unknown): boolean {
  return asObjects(input).some(({ type }) => type === 'reasoning');
}
