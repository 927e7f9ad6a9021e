/**
 * Error responses and stream endings of responses. `dialects.ts` spreads this module into the table
 * of dialects, so every export has to be one of its properties.
 */

import { type ErrorDetails, isStandardErrorBody, standardErrorBody } from '../error-details.ts';
import { dataLines, findLastEvent } from '../server-sent-events.ts';
import { errorCodeOf } from './error-code.ts';

export const errorBody = standardErrorBody;

export const isErrorBody = isStandardErrorBody;

/** The last event of a broken stream. It continues the sequence numbers, if known. */
export function errorEvent({ status, message }: ErrorDetails, tail: string): string {
  const last = findLastEvent(tail, ({ sequence_number: number }) =>
    typeof number === 'number' && Number.isInteger(number) ? number : undefined,
  );
  const event = {
    type: 'error',
    code: errorCodeOf(status),
    message,
    param: null,
    sequence_number: last === undefined ? 0 : last + 1,
  };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
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
