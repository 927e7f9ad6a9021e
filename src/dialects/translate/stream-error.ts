import type { EventOf } from './stream-events.ts';
import { noMessage, parseUpstreamError } from './upstream-error.ts';

/** Parses the error that an upstream sends inside a stream, in any dialect. */
export function parseStreamError(error: unknown): EventOf<'error'> {
  const { status, message, code } = parseUpstreamError({ error });
  return {
    type: 'error',
    status,
    message: message || noMessage,
    code,
  };
}
