import type { Dialect } from '../../../src/core/preset.ts';

export const dialectNames: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'Chat completions',
  messages: 'Anthropic messages',
  responses: 'OpenAI responses',
};

/** Where a request of the dialect is captured, after the path of the preset. */
export const capturePaths: Readonly<Record<Dialect, readonly string[]>> = {
  'chat-completions': ['chat', 'completions'],
  messages: ['messages'],
  responses: ['responses'],
};
