import type { JsonObject } from '../json-object.ts';
import { errorCodeOf, errorFields } from './error-code.ts';

/**
 * The events that end a broken stream. Like OpenAI, they report the error itself, and then the
 * response that failed: some clients wait for one, some for the other. `response` is undefined if
 * the stream broke off before it had one.
 */
export function writeFailureEvents(
  { status, message, code = errorCodeOf(status) }: StreamFailure,
  response: JsonObject | undefined,
  sequence_number: number,
): string {
  const failed = { ...response, status: 'failed', completed_at: null, error: { code, message } };
  const events: readonly JsonObject[] = [
    { type: 'error', ...errorFields(status, message, code), sequence_number },
    { type: 'response.failed', response: failed, sequence_number: sequence_number + 1 },
  ];
  return events
    .slice(0, response === undefined ? 1 : 2)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** An error in the middle of a stream. The code follows from the status if there is none. */
interface StreamFailure {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
}
