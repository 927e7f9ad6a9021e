/**
 * The id of a response with the prefix of a dialect, derived from the id that the upstream gave it,
 * or from the request id if it gave none. Both ids share all but the prefix, so that logs can be
 * matched.
 */
export function responseId(prefix: string, upstreamId: string | undefined, requestId: string): string {
  return prefix + bareId(upstreamId || requestId);
}

/** The id of a tool call whose provider gave it none. */
export function toolCallId(responseId: string, index: number): string {
  return `call_${bareId(responseId)}_${index}`;
}

/**
 * An id without the prefix that APIs give it. In the ids that clients send back, OpenAI accepts
 * letters, digits, dashes and underscores, and 64 characters, of which prefix and index need some.
 */
export function bareId(id: string): string {
  return id
    .replace(/^(?:chatcmpl-|msg_|resp_)/, '')
    .replace(/[^\w-]/g, '_')
    .slice(-bareCharactersMax);
}

const bareCharactersMax = 48;
