import { readFileSync } from 'node:fs';
import type { Dialect } from '../../../src/core/preset.ts';

/**
 * Answers in the form in which OpenAI, Anthropic and OpenRouter send them. They are made after that form, not taken from
 * a wire, so that they are short enough to be cut at every byte and have characters of one to four bytes.
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

/** What the model says in every recording that is not of a tool. */
export const spokenText = 'Regen in Zürich ☔🌧 heute.';

export interface Recording {
  /** The bytes of the body of a stream. */
  readonly stream: Buffer;
  /** The bytes of the body of an answer that is not streamed. */
  readonly json: Buffer;
}

export const recordingOf: Readonly<Record<Dialect, Recording>> = {
  'chat-completions': recordings['openai-chat'],
  messages: recordings['anthropic-messages'],
  responses: recordings['openai-responses'],
};

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
