/**
 * Error responses and stream endings of responses. `dialects.ts` spreads this module into the table
 * of dialects, so every export has to be one of its properties.
 */

import type { Issue } from '../../core/errors.ts';
import { parsePointer } from '../../core/json-pointer.ts';
import { type ErrorDetails, isStandardErrorBody, standardErrorBody } from '../error-details.ts';
import { isJsonObject } from '../json-object.ts';
import { dataLines, findLastEvent } from '../server-sent-events.ts';
import { errorTypeOf } from './error-code.ts';
import { writeFailureEvents } from './failure-events.ts';

/**
 * The standard error body, with the fields that the Open Responses specification has besides. Its
 * `code` stays the status, as OpenRouter's SDKs require.
 */
export function errorBody(details: ErrorDetails): object {
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

export const isErrorBody = isStandardErrorBody;

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
    dataLines(tail).includes('[DONE]') ||
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
