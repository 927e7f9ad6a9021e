import type { JsonObject } from '../json-object.ts';

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
export function errorFields(status: number, message: string, code = errorCodeOf(status)): JsonObject {
  const fields = { code, message, param: null };
  return { ...fields, error: { type: errorTypeOf(status), ...fields } };
}
