import { type ErrorDetails, isStandardErrorBody, standardErrorBody } from '../error-details.ts';
import { dataLines, findLastEvent } from '../server-sent-events.ts';

export const errorBody = standardErrorBody;

export const isErrorBody = isStandardErrorBody;

/** The last event of a stream that broke. Its number follows the last one, where that is known. */
export function errorEvent({ status, message }: ErrorDetails, tail: string): string {
  const last = findLastEvent(tail, ({ sequence_number: number }) =>
    typeof number === 'number' && Number.isInteger(number) ? number : undefined,
  );
  const event = {
    type: 'error',
    code: codeOf(status),
    message,
    param: null,
    sequence_number: last === undefined ? 0 : last + 1,
  };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Whether the end of a stream shows that all of it came, or that the upstream itself told of an error. */
export function hasFinished(tail: string): boolean {
  return (
    dataLines(tail).includes('[DONE]') ||
    findLastEvent(tail, ({ type }) => isLast(type) || undefined) === true
  );
}

function isLast(type: unknown): boolean {
  return typeof type === 'string' && lastTypes.has(type);
}

const lastTypes: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'response.error',
  'error',
]);

/** The few codes that this dialect has. */
function codeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status === 400 || status === 413 || status === 422 ? 'invalid_prompt' : 'server_error';
}
