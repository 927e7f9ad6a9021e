import { describe, expect, it } from 'vitest';
import { findExtensionIssues } from './check-extension.ts';

const issuesOf = (systemPrompt: string, variables: object, extension: object = {}) =>
  findExtensionIssues(
    { config: {}, systemPrompt, extension: { variables, ...extension } },
    'chat-completions',
  ).map(({ path, message }) => `${path} ${message}`);

describe('checking the presetd object', () => {
  it('reports problems of declarations, templates, messages and the policy together', () => {
    const variables = { tone: { type: 'text' }, age: { type: 'integer', default: 'x' } };
    const extension = {
      messages: [{ role: 'user', content: '{{#open}}' }],
      policy: { locked: ['messages'] },
    };
    expect(issuesOf('{{tone}} {{customer}}', variables, extension)).toEqual([
      expect.stringMatching(/^\/presetd\/variables\/tone\/type must be/),
      '/presetd/variables/age/default must be a whole number, not a string',
      '/presetd/policy/locked/0 must name a field that chat-completions presets save',
      '/messages uses {{customer}} at line 1, column 10, but presetd.variables does not declare customer',
      expect.stringMatching(/^\/presetd\/messages\/0\/content has an invalid tag at line 1, column 1/),
    ]);
  });

  it.each([
    ['has no valid schema', { order: { type: 'object', properties: { id: 5 } } }],
    ['is one of too many', Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, {}]))],
  ])('does not ask for the declaration of a variable that %s', (_what, variables) => {
    const name = Object.keys(variables)[0];
    const issues = issuesOf(`{{${name}}} {{${name}.title}}`, variables);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(/^\/presetd\/variables/);
  });
});
