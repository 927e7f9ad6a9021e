import type { Dialect } from '../../core/presets/preset.ts';

/**
 * The id of a response in a dialect, derived from the id that the upstream gave it, or from the
 * request id if it gave none. Both ids share all but the prefix, so that logs can be matched.
 */
export function responseId(dialect: Dialect, upstreamId: string | undefined, requestId: string): string {
  return responsePrefixes[dialect] + bareId(upstreamId || requestId);
}

/** The id of an output item of the responses dialect. */
export function itemId(kind: ItemKind, responseId: string, index: number): string {
  return `${itemPrefixes[kind]}${bareId(responseId)}_${index}`;
}

/** The id of a tool call whose provider gave it none. */
export function toolCallId(responseId: string, index: number): string {
  return `call_${bareId(responseId)}_${index}`;
}

export type ItemKind = keyof typeof itemPrefixes;

const responsePrefixes: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'chatcmpl-',
  messages: 'msg_',
  responses: 'resp_',
};

const itemPrefixes = { message: 'msg_', function: 'fc_', custom: 'ctc_', reasoning: 'rs_' } as const;

/**
 * OpenAI accepts letters, digits, dashes and underscores in the ids that clients send back, and 64
 * characters, of which prefix and index need some.
 */
function bareId(id: string): string {
  return id
    .replace(/^(?:chatcmpl-|msg_|resp_)/, '')
    .replace(/[^\w-]/g, '_')
    .slice(-bareCharactersMax);
}

const bareCharactersMax = 48;
