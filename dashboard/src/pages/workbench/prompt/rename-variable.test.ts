import { describe, expect, test } from 'vitest';
import { renameVariable } from './rename-variable.ts';

const variables = {
  name: { type: 'string', description: 'The {{name}} of the customer' },
  big: { type: 'number', default: 1 },
  orders: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
  words: { type: 'array', items: { type: 'string' } },
  anything: { type: 'array' },
};

const requestWith = (fields: object) => JSON.stringify({ model: 'a', presetd: { variables }, ...fields });

/** The prompt after `name` has become `customer`. */
function promptAfter(prompt: string): string {
  const text = requestWith({ messages: [{ role: 'system', content: prompt }] });
  return JSON.parse(renameVariable(text, 'name', 'customer')).messages[0].content;
}

describe('renaming a variable', () => {
  test.each([
    ['Hi {{name}}, {{ name }} and {{{name}}}', 'Hi {{customer}}, {{ customer }} and {{{customer}}}'],
    ['{{name.first}} {{names}} {{first.name}}', '{{customer.first}} {{names}} {{first.name}}'],
    ['{{#name}}a{{/name}}{{^name}}b{{/name}}', '{{#customer}}a{{/customer}}{{^customer}}b{{/customer}}'],
    ['{{#words}}{{name}}{{/words}}', '{{#words}}{{customer}}{{/words}}'],
    ['{{^orders}}{{name}}{{/orders}}', '{{^orders}}{{customer}}{{/orders}}'],
  ])('changes %j to %j', (prompt, expected) => {
    expect(promptAfter(prompt)).toBe(expected);
  });

  test.each([
    ['{{#orders}}{{name}}{{#name}}x{{/name}}{{/orders}}'],
    ['{{#orders}}{{#words}}{{name}}{{/words}}{{/orders}}'],
    ['{{#anything}}{{name}}{{/anything}}'],
    ['name and {name}'],
  ])('leaves fields of sections and other text: %j', (prompt) => {
    expect(promptAfter(prompt)).toBe(prompt);
  });

  test('changes the texts that are templates, in every dialect, and no others', () => {
    const tool = (description: string, inner: string) => ({
      type: 'function',
      function: { name: 'a', description, parameters: { description: inner } },
    });
    const request = (to: string) => ({
      system: [{ type: 'text', text: `{{${to}}}` }],
      instructions: `{{${to}}}`,
      input: [{ role: 'developer', content: [{ type: 'input_text', text: `{{${to}}}` }] }],
      messages: [{ role: 'user', content: '{{name}}' }],
      tools: [tool(`For {{${to}}}`, '{{name}}')],
      metadata: { note: '{{name}}' },
    });
    const examples = (to: string) => [{ role: 'user', content: [{ type: 'text', text: `{{${to}}}` }] }];
    const before = { presetd: { variables, messages: examples('name') }, ...request('name') };
    const after = JSON.parse(renameVariable(JSON.stringify(before), 'name', 'customer'));
    const { name, ...others } = variables;
    expect(after).toEqual({
      presetd: { variables: { customer: name, ...others }, messages: examples('customer') },
      ...request('customer'),
    });
    expect(Object.keys(after.presetd.variables)[0]).toBe('customer');
  });

  test('keeps the name if the new one is taken', () => {
    const text = requestWith({});
    expect(renameVariable(text, 'name', 'words')).toBe(text);
  });

  test('keeps the digits of numbers', () => {
    const text = requestWith({}).replace('"default":1', '"default":12345678901234567890');
    expect(renameVariable(text, 'name', 'customer')).toContain('12345678901234567890');
  });
});
