/** Errors and stream endings of chat completions. */

import { isJsonObject } from '../../core/json/json-object.ts';
import { asObjects, parseJsonObject } from '../../core/json/loose-json.ts';
import { type ErrorDetails, standardErrorBody } from '../model/error-details.ts';
import { dataLines, doneMarker, findLastEvent, writeData } from '../model/server-sent-events.ts';
import { openAiErrors } from '../openai/errors.ts';

export const errors = openAiErrors(standardErrorBody);

/** The last chunk of a broken stream. It continues the completion of earlier chunks, if known. */
export function errorEvent({ status, message, requestId }: ErrorDetails, tail: string): string {
  const chunk = {
    id: findLastEvent(tail, ({ id }) => (typeof id === 'string' ? id : undefined)) ?? requestId,
    object: 'chat.completion.chunk',
    created: findLastEvent(tail, ({ created }) => (Number.isInteger(created) ? created : undefined)) ?? 0,
    model: findLastEvent(tail, ({ model }) => (typeof model === 'string' ? model : undefined)) ?? '',
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    error: { code: status, message, metadata: { error_type: errorTypeOf(status) } },
  };
  return writeData(chunk);
}

/** Whether a stream that ends with `tail` is complete or ended with the upstream's own error. */
export function hasFinished(tail: string): boolean {
  const lines = dataLines(tail);
  if (lines.includes(doneMarker)) return true;
  const chunks = lines.map(parseJsonObject).filter((chunk) => chunk !== undefined);
  if (chunks.some(({ error }) => isJsonObject(error))) return true;
  // Each choice has its own finish reason.
  const reasons = new Map(
    chunks
      .flatMap(({ choices }) => asObjects(choices))
      .map(({ index, finish_reason }) => [index, finish_reason]),
  );
  return reasons.size > 0 && [...reasons.values()].every((reason) => typeof reason === 'string');
}

/** OpenRouter's error types, which its SDK expects. */
function errorTypeOf(status: number): string {
  return errorTypes[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : 'server');
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication',
  402: 'payment_required',
  403: 'permission_denied',
  404: 'not_found',
  408: 'timeout',
  412: 'precondition_failed',
  413: 'payload_too_large',
  422: 'unprocessable',
  429: 'rate_limit_exceeded',
  502: 'provider_unavailable',
  503: 'provider_unavailable',
  504: 'timeout',
  524: 'timeout',
  529: 'provider_overloaded',
};
