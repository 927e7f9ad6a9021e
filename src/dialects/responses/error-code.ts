/** The error codes of this dialect, which has only a few. */
export function errorCodeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status === 400 || status === 413 || status === 422 ? 'invalid_prompt' : 'server_error';
}
