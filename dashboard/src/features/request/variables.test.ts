import { describe, expect, test } from 'vitest';
import { declareVariable, removeVariable, suggestName, undeclaredNames, withDefault } from './variables.ts';

const text = JSON.stringify({
  model: 'a',
  messages: [
    { role: 'system', content: 'Hi {{name}}, {{ name }} and {{#items}}{{name.first}}{{/items}} {{names}}' },
  ],
  presetd: { variables: { name: { type: 'string' }, items: { type: 'array' } } },
});

describe('variables of a request', () => {
  test('are declared, also as the first one', () => {
    expect(JSON.parse(declareVariable('{"model":"a"}', 'x', { type: 'string' })).presetd).toEqual({
      variables: { x: { type: 'string' } },
    });
    expect(Object.keys(JSON.parse(declareVariable(text, 'x', { type: 'string' })).presetd.variables)).toEqual(
      ['name', 'items', 'x'],
    );
  });

  test('are missing if the prompt, a message of the preset or the description of a tool has them', () => {
    const body = {
      messages: [
        { role: 'system', content: 'Greet {{customer}} as {{tone}}.' },
        { role: 'user', content: '{{question}}' },
      ],
      tools: [{ function: { name: '{{x}}', description: 'Finds {{order}} of {{customer}}.' } }, 'none'],
      presetd: {
        variables: { tone: { type: 'string' } },
        messages: [{ role: 'user', content: [{ type: 'text', text: '{{city}}' }] }],
      },
    };
    expect(undeclaredNames(body, 'chat-completions')).toEqual(['customer', 'city', 'order']);
    expect(undeclaredNames({ tools: {}, presetd: 3 }, 'responses')).toEqual([]);
  });

  test('are removed together with the list that becomes empty', () => {
    const one = removeVariable(text, 'name');
    expect(JSON.parse(one).presetd.variables).toEqual({ items: { type: 'array' } });
    expect(JSON.parse(removeVariable(one, 'items'))).not.toHaveProperty('presetd');
  });

  test.each([
    [{ type: 'string' }, '3', { type: 'string', default: '3' }],
    [{ type: 'integer' }, '3', { type: 'integer', default: 3 }],
    [{ type: 'integer' }, 'x', { type: 'integer', default: 'x' }],
    [{ type: 'string', default: 'a' }, '', { type: 'string' }],
  ])('%j get the default %j', (schema, typed, expected) => {
    expect(withDefault(schema, typed)).toEqual(expected);
  });

  test.each([
    ['Acme Corp', [], 'acme_corp'],
    ['Acme Corp', ['acme_corp'], 'acme_corp_2'],
    ['Acme Corp', ['acme_corp', 'acme_corp_2'], 'acme_corp_3'],
    ['24 hours', [], '_24_hours'],
    ['Open 24 hours on most days', [], 'open_24_hours_on'],
    ['…', [], 'value'],
    ['Zürich', [], 'zurich'],
  ])('the name of a variable for %j next to %j is %s', (words, taken, name) => {
    expect(suggestName(words, taken)).toBe(name);
  });
});
