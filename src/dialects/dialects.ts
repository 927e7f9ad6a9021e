import type { Dialect } from '../core/presets/preset.ts';
import { chatCompletions } from './chat-completions/dialect.ts';
import { messages } from './messages/dialect.ts';
import type { DialectDefinition } from './model/dialect.ts';
import { responses } from './responses/dialect.ts';

/**
 * All dialects. The rest of the server handles them alike and reaches them only through this list;
 * CONTRIBUTING.md says how to add one.
 */
export const dialectOf: Readonly<Record<Dialect, DialectDefinition>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
};

/** In the order of the list. */
export const allDialects: readonly DialectDefinition[] = Object.values(dialectOf);
