import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../../core/presets/preset.ts';
import { dialectOf } from '../../dialects.ts';
import { checkPolicy } from './check-policy.ts';

describe('checking a policy', () => {
  it.each<[Dialect, string, string]>([
    [
      'chat-completions',
      'max_token',
      'must name a field that chat-completions presets save (did you mean max_tokens?)',
    ],
    ['messages', 'maxTokens', 'must name a field that messages presets save (did you mean max_tokens?)'],
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
  ])('a policy in %s cannot lock the field %s', (dialect, name, message) => {
    expect(checkPolicy({ locked: ['model', name] }, {}, dialect)).toEqual([
      { path: '/presetd/policy/locked/1', message },
    ]);
  });

  it('reports all problems together, duplicates included', () => {
    expect(checkPolicy({ locked: ['model', 'x', 'model', 'y'] }, {}, 'messages')).toMatchObject([
      { path: '/presetd/policy/locked/1' },
      { path: '/presetd/policy/locked/2', message: 'repeats a field' },
      { path: '/presetd/policy/locked/3' },
    ]);
  });

  it.each(dialects)('accepts every field that a %s preset saves', (dialect) => {
    const locked = Object.keys(dialectOf[dialect].request.fields).filter(
      (name) => dialectOf[dialect].request.fields[name] === 'captured',
    );
    expect(checkPolicy({ locked }, {}, dialect)).toEqual([]);
  });

  it('accepts a policy without locks', () => {
    expect(checkPolicy({}, {}, 'responses')).toEqual([]);
  });

  it.each<[Dialect, JsonObject, readonly string[]]>([
    [
      'chat-completions',
      { max_tokens: 9_000, n: 3, temperature: 0.7 },
      ['/max_tokens', '/temperature', '/n'],
    ],
    ['chat-completions', { max_completion_tokens: 9_000 }, ['/max_completion_tokens']],
    [
      'responses',
      { max_output_tokens: 9_000, reasoning: { max_tokens: 1_600 } },
      ['/max_output_tokens', '/reasoning/max_tokens'],
    ],
    ['responses', { reasoning: { max_tokens: -1 } }, ['/reasoning/max_tokens']],
    ['messages', { thinking: { type: 'enabled', budget_tokens: 5_000 } }, ['/thinking/budget_tokens']],
    [
      'messages',
      { fallbacks: [{ model: 'a' }, { model: 'b', max_tokens: 9_000 }] },
      ['/fallbacks/1/max_tokens'],
    ],
    ['messages', { max_tokens: 2_000, temperature: 0.5, thinking: { budget_tokens: 1_500 } }, []],
    ['messages', {}, []],
  ])('a policy of %s compares the config %j with the limits', (dialect, config, paths) => {
    const limits = { max_tokens: 2_000, temperature: 0.5, n: 2, reasoning_tokens: 1_500 };
    expect(checkPolicy({ limits }, config, dialect).map(({ path }) => path)).toEqual(paths);
  });

  it('an issue says what a field may be at most', () => {
    const limits = { max_tokens: 2_000 };
    expect(checkPolicy({ limits }, { reasoning: { max_tokens: 2_000 } }, 'responses')).toEqual([
      { path: '/reasoning/max_tokens', message: 'must be at most 1999, by the limits in presetd.policy' },
    ]);
  });
});
