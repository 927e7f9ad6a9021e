import { describe, expect, it } from 'vitest';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { dialects } from '../../../../src/core/presets/preset.ts';
import { capturePreset } from '../../../../src/dialects/presets/capture-preset.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import { versionToRequest } from './version-to-request.ts';

const configs = [
  '{"model":"openai/gpt-5"}',
  '{"temperature":0.1234567890123456789,"model":"m","tools":[{"type":"x","max":12345678901234567890}],"top_p":1}',
  '{"provider":{"order":["b","a"],"__proto__":{"x":1}}}',
];
const prompts = [null, 'Be brief.', 'Two\nlines, "quotes" and \\ more\u2028'];
const extensions = [
  'null',
  '{"variables":{"n":{"type":"number","default":0.1234567890123456789}},"policy":{"locked":["model"]}}',
];
const cases = dialects.flatMap((dialect) =>
  configs.flatMap((config) =>
    prompts.flatMap((system_prompt) =>
      extensions.map((extension) => ({ dialect, config, system_prompt, extension })),
    ),
  ),
);

describe('versionToRequest', () => {
  it.each(cases)(
    'capturing the request of $dialect $config with $system_prompt and $extension yields the same version',
    ({ config, extension, ...rest }) => {
      const text = versionToRequest({
        ...rest,
        config: parseExactJson(config) as Record<string, unknown>,
        presetd: parseExactJson(extension) as PresetVersionDetails['presetd'],
      });
      const captured = capturePreset(parseExactJson(text) as object, rest.dialect);
      expect(JSON.stringify(captured.config)).toBe(config);
      expect(captured.systemPrompt).toBe(rest.system_prompt);
      expect(JSON.stringify(captured.extension)).toBe(extension);
      expect(captured.ignoredFields).toEqual([]);
    },
  );

  const version = { dialect: 'messages', config: { model: 'm', tools: [] }, system_prompt: 'x' } as const;

  it('puts the prompt and what belongs to it right after the model', () => {
    const request = JSON.parse(versionToRequest({ ...version, presetd: { variables: {} } }));
    expect(Object.keys(request)).toEqual(['model', 'system', 'messages', 'presetd', 'tools']);
  });

  it('leaves out the note, which describes the version that has it', () => {
    const noted = versionToRequest({ ...version, presetd: { note: 'Shorter', policy: {} } });
    expect(JSON.parse(noted).presetd).toEqual({ policy: {} });
    expect(versionToRequest({ ...version, presetd: { note: 'Shorter' } })).not.toContain('presetd');
  });
});
