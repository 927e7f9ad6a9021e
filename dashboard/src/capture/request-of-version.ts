import type { PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import type { Dialect } from '../../../src/core/preset.ts';

/** A request that, when it is captured, gives the version again: to be changed instead of written anew. */
export function requestOfVersion({
  dialect,
  config,
  system_prompt: prompt,
}: Pick<PresetVersionDetails, 'dialect' | 'config' | 'system_prompt'>): string {
  const conversation = Object.entries(conversationWith[dialect](prompt));
  const fields = Object.entries(config);
  // Beside the model, so that the prompt does not stand below all the tools; the order of the config stays.
  const place = fields.findIndex(([name]) => name === 'model') + 1;
  return JSON.stringify(Object.fromEntries(fields.toSpliced(place, 0, ...conversation)), null, 2);
}

/** The system prompt where the dialect has it, and the least that makes a request of it. */
const conversationWith: Readonly<Record<Dialect, (prompt: string | null) => object>> = {
  'chat-completions': (prompt) => ({
    messages: [prompt === null ? { role: 'user', content: '' } : { role: 'system', content: prompt }],
  }),
  messages: (prompt) => ({ ...(prompt !== null && { system: prompt }), messages: [] }),
  responses: (prompt) => (prompt === null ? {} : { instructions: prompt }),
};
