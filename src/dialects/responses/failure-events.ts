import type { JsonObject } from '../json-object.ts';

/**
 * The events that end a broken stream. Like OpenAI, they report the error itself, and then the
 * response that failed: some clients wait for one, some for the other. `response` is undefined if
 * the stream broke off before it had one.
 */
export function writeFailureEvents(
  error: { readonly code: string; readonly message: string },
  response: JsonObject | undefined,
  sequence_number: number,
): string {
  const failed = { ...response, status: 'failed', completed_at: null, error };
  const events: readonly JsonObject[] = [
    { type: 'error', ...error, param: null, sequence_number },
    { type: 'response.failed', response: failed, sequence_number: sequence_number + 1 },
  ];
  return events
    .slice(0, response === undefined ? 1 : 2)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}
