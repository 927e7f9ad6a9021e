import { type Dialect, dialects } from '../../../src/core/preset.ts';

/** As people know them. */
export const dialectNames: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'Chat completions',
  messages: 'Anthropic messages',
  responses: 'OpenAI responses',
};

export const dialectOptions = dialects.map((dialect) => [dialect, dialectNames[dialect]] as const);

/** The parts of the path where a request of the dialect is sent and, after the path of a preset, where it is captured. */
export const dialectPaths: Readonly<Record<Dialect, readonly string[]>> = {
  'chat-completions': ['chat', 'completions'],
  messages: ['messages'],
  responses: ['responses'],
};
