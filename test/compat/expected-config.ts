/** What a preset never keeps, in any dialect: content, identity, transport and what belongs to a single call. */
const droppedFields = new Set([
  ...['messages', 'input', 'prompt', 'system', 'instructions', 'prediction'],
  ...['stream', 'stream_options', 'background', 'store', 'debug', 'trace'],
  ...['user', 'session_id', 'safety_identifier', 'metadata', 'prompt_cache_key'],
  ...['previous_response_id', 'conversation', 'thread'],
]);

/** The config that a request must be kept as: everything else that it says, under its own name and unchanged. */
export function expectedConfig(requestJson: string): Record<string, unknown> {
  const request: Record<string, unknown> = JSON.parse(requestJson);
  return Object.fromEntries(
    Object.entries(request).filter(([name, value]) => value !== null && !droppedFields.has(name)),
  );
}
