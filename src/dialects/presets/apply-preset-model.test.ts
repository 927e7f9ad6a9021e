import { describe, expect, it } from 'vitest';
import { dialects } from '../../core/presets/preset.ts';
import { applyPresetModel } from './apply-preset-model.ts';
import type { Policy } from './extension/policy.ts';

describe.each(dialects)('the model of a %s preset in a relayed call', (dialect) => {
  const apply = (request: object, policy?: Policy) =>
    applyPresetModel(request as Readonly<Record<string, unknown>>, {
      dialect,
      configJson: JSON.stringify({ model: 'a', models: ['b'], temperature: 1 }),
      systemPrompt: 'Be terse.',
      extensionJson: policy === undefined ? null : JSON.stringify({ policy, messages: [] }),
    });

  it('is all that the call takes from the preset', () => {
    expect(apply({ input: 'x', temperature: 0 }).body).toEqual({
      model: 'a',
      models: ['b'],
      input: 'x',
      temperature: 0,
    });
  });

  it('is replaced by that of the call unless it is locked', () => {
    const request = { model: 'c', models: ['d'], fallbacks: [{ model: 'e' }], route: 'fallback', input: 'x' };
    const won = (name: string) => ({ name, winner: 'preset' });
    expect(apply(request)).toMatchObject({ body: request, overriddenFields: ['model', 'models'] });
    expect(apply(request, { locked: ['models', 'temperature'] })).toMatchObject({
      body: { model: 'c', models: ['b'], route: 'fallback', input: 'x' },
      policyFields: [won('models')],
    });
    expect(apply(request, { locked: ['model'] })).toMatchObject({
      body: { model: 'a', models: ['b'], input: 'x' },
      policyFields: [won('model')],
    });
    expect(apply(request, { locked: ['model'] }).body).not.toHaveProperty('fallbacks');
    expect(apply(request, { locked: ['model'] }).body).not.toHaveProperty('route');
  });

  it('is the only part of a policy that applies', () => {
    const policy: Policy = { system_prompt: 'lock', locked: ['temperature'], limits: { max_tokens: 5 } };
    const request = { max_tokens: 9, temperature: 0, messages: [{ role: 'system', content: 'x' }] };
    expect(apply(request, policy).body).toEqual({ model: 'a', models: ['b'], ...request });
  });
});
