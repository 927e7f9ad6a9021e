import { describe, expect, it } from 'vitest';
import { dialects } from '../../../../src/core/presets/preset.ts';
import { dialectOf } from '../../../../src/dialects/dialects.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import { versionToRequest } from './version-to-request.ts';

const configs = [
  '{"model":"openai/gpt-5"}',
  '{"temperature":0.1234567890123456789,"model":"m","tools":[{"type":"x","max":12345678901234567890}],"top_p":1}',
  '{"provider":{"order":["b","a"],"__proto__":{"x":1}}}',
];
const prompts = [null, 'Be brief.', 'Two\nlines, "quotes" and \\ more\u2028'];
const cases = dialects.flatMap((dialect) =>
  configs.flatMap((config) => prompts.map((system_prompt) => ({ dialect, config, system_prompt }))),
);

describe('versionToRequest', () => {
  it.each(cases)(
    'capturing the request of $dialect $config with $system_prompt yields the same version',
    ({ config, ...rest }) => {
      const text = versionToRequest({ ...rest, config: parseExactJson(config) as Record<string, unknown> });
      const captured = dialectOf[rest.dialect].capturePreset(parseExactJson(text) as object);
      expect(JSON.stringify(captured.config)).toBe(config);
      expect(captured.systemPrompt).toBe(rest.system_prompt);
      expect(captured.ignoredFields).toEqual([]);
    },
  );

  it('puts the prompt right after the model', () => {
    const config = { model: 'm', tools: [] };
    expect(
      Object.keys(JSON.parse(versionToRequest({ dialect: 'messages', config, system_prompt: 'x' }))),
    ).toEqual(['model', 'system', 'messages', 'tools']);
  });
});
