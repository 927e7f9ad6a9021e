import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { knownFields } from '../known-fields.ts';
import { checkPolicy } from './check-policy.ts';

describe('checking a policy', () => {
  it.each<[Dialect, string, string]>([
    [
      'chat-completions',
      'max_token',
      'must name a field that chat-completions presets save; did you mean max_tokens?',
    ],
    ['messages', 'maxTokens', 'must name a field that messages presets save; did you mean max_tokens?'],
    ['messages', 'max_output_tokens', 'must name a field that messages presets save'],
    ['responses', 'stream', 'must name a field that responses presets save'],
    ['chat-completions', 'constructor', 'must name a field that chat-completions presets save'],
    [
      'messages',
      'system',
      'must name a field of the config; to lock the system prompt, set "system_prompt": "lock" in the policy',
    ],
    [
      'chat-completions',
      'system_prompt',
      'must name a field of the config; to lock the system prompt, set "system_prompt": "lock" in the policy',
    ],
  ])('in %s rejects the locked field %s', (dialect, name, message) => {
    expect(checkPolicy({ locked: ['model', name] }, dialect)).toEqual([
      { path: '/presetd/policy/locked/1', message },
    ]);
  });

  it('reports all problems together, duplicates included', () => {
    expect(checkPolicy({ locked: ['model', 'x', 'model', 'y'] }, 'messages')).toMatchObject([
      { path: '/presetd/policy/locked/1' },
      { path: '/presetd/policy/locked/2', message: 'repeats a field' },
      { path: '/presetd/policy/locked/3' },
    ]);
  });

  it.each(dialects)('accepts every field that a %s preset saves', (dialect) => {
    const locked = Object.keys(knownFields[dialect]).filter(
      (name) => knownFields[dialect][name] === 'captured',
    );
    expect(checkPolicy({ locked }, dialect)).toEqual([]);
  });

  it('accepts a policy without locks', () => {
    expect(checkPolicy({}, 'responses')).toEqual([]);
  });
});
