/** Fields that no dialect captures: content, identity, transport and per-call settings. */
const uncapturedFields = new Set([
  ...['messages', 'input', 'prompt', 'system', 'instructions', 'prediction'],
  ...['stream', 'stream_options', 'background', 'store', 'debug', 'trace'],
  ...['user', 'session_id', 'safety_identifier', 'metadata', 'prompt_cache_key'],
  ...['previous_response_id', 'conversation', 'thread'],
]);

/** The config that a capture of the request must save: all other fields, unchanged. */
export function expectedConfig(requestJson: string): Record<string, unknown> {
  const request: Record<string, unknown> = JSON.parse(requestJson);
  return Object.fromEntries(
    Object.entries(request).filter(([name, value]) => value !== null && !uncapturedFields.has(name)),
  );
}
