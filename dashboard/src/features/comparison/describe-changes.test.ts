import { expect, test } from 'vitest';
import { describeChanges } from './describe-changes.ts';

const base = {
  dialect: 'chat-completions',
  config: { model: 'a', temperature: 0.2, tools: [{ type: 'function', function: { name: 'x' } }] },
  system_prompt: 'One\nTwo\nThree',
  presetd: null,
} as const;

test.each([
  ['nothing', {}, []],
  ['a value', { config: { ...base.config, temperature: 0.7 } }, ['temperature 0.2 → 0.7']],
  ['a new field', { config: { ...base.config, top_p: 1 } }, ['top_p 1']],
  ['a removed field', { config: { model: 'a', tools: base.config.tools } }, ['no temperature']],
  ['a long value', { config: { ...base.config, model: 'b'.repeat(60) } }, ['model']],
  [
    'a tool',
    {
      config: {
        ...base.config,
        tools: [...base.config.tools, { type: 'function', function: { name: 'y' } }],
      },
    },
    ['+1 tool'],
  ],
  ['no tools', { config: { model: 'a', temperature: 0.2 } }, ['−1 tool']],
  ['the prompt', { system_prompt: 'One\n2\nThree\nFour' }, ['2 lines of prompt']],
  ['no prompt', { system_prompt: null }, ['no system prompt']],
  ['variables', { presetd: { variables: { a: { type: 'string' } } } }, ['variables']],
  ['the format', { dialect: 'messages' }, ['format chat-completions → messages']],
] as const)('a change of %s is described', (_case, changed, phrases) => {
  expect(describeChanges(base, { ...base, ...changed })).toEqual(phrases);
});

test('a long list of changes ends with a count', () => {
  const config = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field_${index}`, index]));
  expect(describeChanges({ ...base, config: {} }, { ...base, config }).at(-1)).toBe('14 more');
});

test('changes deep inside a field are one phrase', () => {
  const withSchema = (title: string, description: string) => ({
    ...base,
    config: { response_format: { json_schema: { schema: { title, description } } } },
  });
  expect(describeChanges(withSchema('a', 'b'), withSchema('c', 'd'))).toEqual(['response_format changed']);
});
