import { readFileSync } from 'node:fs';
import type { Dialect } from '../../../src/core/presets/preset.ts';

/**
 * Responses in the format of OpenAI, Anthropic and OpenRouter. Written by hand rather than
 * captured, so that they are short enough to be cut at every byte and contain characters of one to
 * four bytes.
 */
export const recordings = {
  'openai-chat': recording('openai-chat'),
  'openai-chat-tool': recording('openai-chat-tool'),
  'openrouter-chat': recording('openrouter-chat'),
  'openrouter-chat-tool': recording('openrouter-chat-tool'),
  'anthropic-messages': recording('anthropic-messages'),
  'anthropic-messages-tool': recording('anthropic-messages-tool'),
  'openai-responses': recording('openai-responses'),
  'openai-responses-tool': recording('openai-responses-tool'),
} as const;

/** The text of every recording that is not a tool call. */
export const completionText = 'Regen in Zürich ☔🌧 heute.';

/** A response of an upstream in both forms. */
export interface Recording {
  /** The body of a streamed response. */
  readonly stream: Buffer;
  /** The body of a response that is not streamed. */
  readonly json: Buffer;
}

/** The default recording of each dialect. */
export const recordingOf: Readonly<Record<Dialect, Recording>> = {
  'chat-completions': recordings['openai-chat'],
  messages: recordings['anthropic-messages'],
  responses: recordings['openai-responses'],
};

/** The path of each dialect below the base URL. */
export const pathOf: Readonly<Record<Dialect, string>> = {
  'chat-completions': '/chat/completions',
  messages: '/messages',
  responses: '/responses',
};

export const dialects = ['chat-completions', 'messages', 'responses'] as const satisfies readonly Dialect[];

function recording(name: string): Recording {
  const read = (extension: string) => readFileSync(new URL(`${name}.${extension}`, import.meta.url));
  return { stream: read('sse'), json: read('json') };
}
