import { describe, expect, it } from 'vitest';
import { findExtensionIssues, findExtensionWarnings, isAboutLiteralBraces } from './check-extension.ts';

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

describe('warnings about names in braces', () => {
  const config = { tools: [{ type: 'function', name: 'find', description: 'Finds {{ order }}.' }] };
  const preset = { config, systemPrompt: 'Greet {{customer}} and {{friend}}.', extension: null };

  it('name the first of each text, unless the version declares variables', () => {
    const warnings = findExtensionWarnings(preset, 'responses');
    const message = (name: string) =>
      `has {{${name}}}, which calls send as it is, because presetd.variables declares nothing`;
    expect(warnings).toEqual([
      { path: '/instructions', message: message('customer') },
      { path: '/tools/0/description', message: message('order') },
    ]);
    expect(warnings.every(isAboutLiteralBraces)).toBe(true);
    expect(findExtensionWarnings({ ...preset, extension: { note: 'x' } }, 'responses')).toHaveLength(2);
    const variables = { customer: {}, friend: {}, order: {}, other: {} };
    const unused = findExtensionWarnings({ ...preset, extension: { variables } }, 'responses');
    expect(unused.map(({ path }) => path)).toEqual(['/presetd/variables/other']);
    expect(unused.some(isAboutLiteralBraces)).toBe(false);
  });

  it('are absent without such names', () => {
    const plain = { config: {}, systemPrompt: 'Greet {customer}.', extension: null };
    expect(findExtensionWarnings(plain, 'messages')).toEqual([]);
    expect(findExtensionWarnings({ ...plain, systemPrompt: null }, 'messages')).toEqual([]);
  });
});
