import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';

/**
 * Builds a request that, when captured, yields this version again, apart from its note. The form
 * edits it.
 */
export function versionToRequest({
  dialect,
  config,
  system_prompt: prompt,
  presetd,
}: Pick<PresetVersionDetails, 'dialect' | 'config' | 'system_prompt' | 'presetd'>): string {
  // The note says what changed in that version, so the next one needs another.
  const { note: _, ...extension } = presetd ?? {};
  const extensionFields = Object.keys(extension).length === 0 ? {} : { presetd: extension };
  const prompts = Object.entries({ ...promptFields[dialect](prompt), ...extensionFields });
  const fields = Object.entries(config);
  // After the model, so that the prompt is not buried below all the tools. Config order is kept.
  const index = fields.findIndex(([name]) => name === 'model') + 1;
  return JSON.stringify(Object.fromEntries(fields.toSpliced(index, 0, ...prompts)), null, 2);
}

/** The system prompt in each dialect's field, with the least that makes the request valid. */
const promptFields: Readonly<Record<Dialect, (prompt: string | null) => object>> = {
  'chat-completions': (prompt) => ({
    messages: [prompt === null ? { role: 'user', content: '' } : { role: 'system', content: prompt }],
  }),
  messages: (prompt) => ({ ...(prompt !== null && { system: prompt }), messages: [] }),
  responses: (prompt) => (prompt === null ? {} : { instructions: prompt }),
};
