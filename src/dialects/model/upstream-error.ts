/**
 * Errors of upstreams, independent of the dialect. Clients react to some by status, code or even
 * words, which differ between dialects: those that retry an overloaded server, and those that
 * shorten a conversation that has become too long for the model.
 */

import { asObject, asText } from '../../core/json/loose-json.ts';
import { findErrorMessage, type UpstreamError } from './error-details.ts';
import type { EventOf } from './stream-events.ts';

export const noMessage = 'The upstream reported an error without a message.';

/**
 * Parses the body of an error response, or any object with an `error`. The message is empty if
 * there is none. If the status is not known, it is the one that the code or type stands for.
 */
export function parseUpstreamError(body: unknown, status?: number): UpstreamError {
  const { type, code, param } = asObject(asObject(body).error);
  return {
    status: status ?? statusOf(code) ?? statusOf(type) ?? 502,
    message: findErrorMessage(body) ?? '',
    type: asText(type),
    code: asText(code),
    param: asText(param),
  };
}

/** OpenRouter's codes are statuses, some as text. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  return typeof code === 'string' ? statuses.get(code) : undefined;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Parses the error that an upstream sends inside a stream, in any dialect. */
export function parseStreamError(error: unknown): EventOf<'error'> {
  const { status, message, code } = parseUpstreamError({ error });
  return { type: 'error', status, message: message || noMessage, code };
}

/** Anthropic's status for an overloaded server, for which other providers have 503. */
export const overloaded = 529;
export const unavailable = 503;

/** Whether the conversation has become too long for the model. */
export function isPromptTooLong({ status, code, message }: UpstreamError): boolean {
  if (status !== 400 && status !== 413 && status !== 422) return false;
  // The expression backtracks, and nothing bounds what an upstream may send.
  return code === tooLongCode || tooLongMessages.test(message.slice(0, inspectedCharactersMax));
}

/** OpenAI's code for it. */
export const tooLongCode = 'context_length_exceeded';
const inspectedCharactersMax = 1_000;

/** The wording of Anthropic, OpenAI, Mistral, Gemini, vLLM, SGLang, llama.cpp and Ollama. */
const tooLongMessages =
  /(?:prompt|input) (?:is )?too long|(?:exceed|longer than|maximum|too large).*context (?:length|window|size|limit)|context (?:length|window|size|limit).*exceed|exceeds the maximum number of tokens/i;
