/** Errors and stream endings of responses. */

import type { Issue } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { parsePointer } from '../../core/json/json-pointer.ts';
import { type ErrorDetails, standardErrorBody } from '../model/error-details.ts';
import { dataLines, doneMarker, findLastEvent, writeEvent } from '../model/server-sent-events.ts';
import { openAiErrors } from '../openai/errors.ts';

/**
 * The standard error body, with the fields that the Open Responses specification has besides. Its
 * `code` stays the status, as OpenRouter's SDKs require.
 */
function writeError(details: ErrorDetails): object {
  const { error, ...others } = standardErrorBody(details);
  const [issue] = details.issues ?? [];
  return { error: { type: errorTypeOf(details.status), ...error, param: paramOf(issue) }, ...others };
}

/** The name of a parameter as OpenAI writes it, such as `input[1].id`. */
function paramOf(issue: Issue | undefined): string | null {
  const segments = parsePointer(issue?.path ?? '');
  const name = segments.map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`)).join('');
  return name === '' ? null : name.replace(/^\./, '');
}

export const errors = openAiErrors(writeError);

/** `response.failed` repeats the response, which one of the first events has. */
export const startField = '"response"';

/** The last events of a broken stream. They continue the sequence numbers, if known. */
export function errorEvent({ status, message }: ErrorDetails, sent: string): string {
  const last = findLastEvent(sent, ({ sequence_number: number }) =>
    typeof number === 'number' && Number.isInteger(number) ? number : undefined,
  );
  const response = findLastEvent(sent, ({ response: each }) => (isJsonObject(each) ? each : undefined));
  return writeFailureEvents({ status, message }, response, last === undefined ? 0 : last + 1);
}

/** Whether a stream that ends with `tail` is complete or ended with the upstream's own error. */
export function hasFinished(tail: string): boolean {
  return (
    dataLines(tail).includes(doneMarker) ||
    findLastEvent(tail, ({ type }) => isLast(type) || undefined) === true
  );
}

function isLast(type: unknown): boolean {
  return typeof type === 'string' && lastTypes.has(type);
}

/** All terminal event types of OpenAI and OpenRouter. */
const lastTypes: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'response.error',
  'error',
]);

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
    .map(writeEvent)
    .join('');
}

/** An error in the middle of a stream. The code follows from the status if there is none. */
interface StreamFailure {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
}

/** The error codes of this dialect, which has only a few. */
export function errorCodeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status === 400 || status === 413 || status === 422 ? 'invalid_prompt' : 'server_error';
}

/** The error types of the Open Responses specification. */
export function errorTypeOf(status: number): string {
  if (status === 404) return 'not_found';
  if (status === 429) return 'too_many_requests';
  // Only an operator can fix a 424.
  return status >= 400 && status < 500 && status !== 424 ? 'invalid_request' : 'server_error';
}

/**
 * The fields of an `error` event: as OpenAI documents them, and in `error`, where the specification
 * has them and where some SDKs look.
 */
function errorFields(status: number, message: string, code = errorCodeOf(status)): JsonObject {
  const fields = { code, message, param: null };
  return { ...fields, error: { type: errorTypeOf(status), ...fields } };
}
