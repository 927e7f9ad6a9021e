import { type Dialect, dialects } from '../../../src/core/presets/preset.ts';

/** The names under which the vendors document these APIs. */
export const dialectNames: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'Chat Completions',
  messages: 'Anthropic Messages',
  responses: 'OpenAI Responses',
};

/** Options for selects. */
export const dialectOptions = dialects.map((dialect) => [dialect, dialectNames[dialect]] as const);

/**
 * The path of each dialect's inference endpoint. The capture endpoint has the same path after the
 * preset's.
 */
export const dialectPaths = {
  'chat-completions': '/chat/completions',
  messages: '/messages',
  responses: '/responses',
} as const satisfies Readonly<Record<Dialect, string>>;
