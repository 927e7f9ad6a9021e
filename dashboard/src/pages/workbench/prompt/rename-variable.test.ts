import { describe, expect, test } from 'vitest';
import { renameVariable } from './rename-variable.ts';

const variables = {
  name: { type: 'string', description: 'The {{name}} of the customer' },
  big: { type: 'number', default: 1 },
  orders: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
  words: { type: 'array', items: { type: 'string' } },
  anything: { type: 'array' },
  address: { type: 'object', properties: { city: { properties: { name: { type: 'string' } } } } },
  closed: { type: 'object', properties: { id: { type: 'string' } } },
  open: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: true },
  typed: { type: 'object', properties: { id: {} }, additionalProperties: { type: 'string' } },
  empty: { type: 'object', properties: {}, additionalProperties: false },
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
    // The end of a section inside belongs to that section.
    [
      '{{#name}}{{#words}}{{.}}{{/words}}{{/name}} {{name}}',
      '{{#customer}}{{#words}}{{.}}{{/words}}{{/customer}} {{customer}}',
    ],
    ['{{#orders}}{{name}}{{/orders}}{{name}}', '{{#orders}}{{name}}{{/orders}}{{customer}}'],
    ['{{/name}}{{name}}', '{{/name}}{{customer}}'],
    ['{{#address}}{{name}}{{/address}}', '{{#address}}{{customer}}{{/address}}'],
    ['{{#closed}}{{name}}{{/closed}}', '{{#closed}}{{customer}}{{/closed}}'],
    ['{{#empty}}{{name}}{{/empty}}', '{{#empty}}{{customer}}{{/empty}}'],
  ])('changes %j to %j', (prompt, expected) => {
    expect(promptAfter(prompt)).toBe(expected);
  });

  test.each([
    ['{{#orders}}{{name}}{{#name}}x{{/name}}{{/orders}}'],
    ['{{#orders}}{{#words}}{{name}}{{/words}}{{/orders}}'],
    ['{{#anything}}{{name}}{{/anything}}'],
    ['{{#unknown}}{{name}}{{/unknown}}'],
    ['{{#address}}{{#city}}{{name}}{{/city}}{{/address}}'],
    ['{{#address.city}}{{name}}{{/address.city}}'],
    ['{{#open}}{{name}}{{/open}}'],
    ['{{#typed}}{{name}}{{/typed}}'],
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

  test('changes the descriptions of tools in a namespace, and of functions', () => {
    const tools = (to: string) =>
      Array.from({ length: 12 }, (_, index) => ({ name: `a${index}`, description: `{{${to}}}` }));
    const request = (to: string) => ({
      tools: [{ type: 'namespace', description: `{{${to}}}`, tools: tools(to) }],
      functions: tools(to),
    });
    const renamed = JSON.parse(renameVariable(requestWith(request('name')), 'name', 'customer'));
    expect(renamed).toMatchObject(request('customer'));
  });

  test('keeps the text of templates that do not use it', () => {
    const text = requestWith({}).replace('"model"', '"instructions":"\\u00e9","model"');
    expect(renameVariable(text, 'name', 'customer')).toContain('"\\u00e9"');
  });

  test('keeps a text that is not an object', () => {
    expect(renameVariable('[]', 'name', 'customer')).toBe('[]');
  });

  test('keeps the digits of numbers', () => {
    const text = requestWith({}).replace('"default":1', '"default":12345678901234567890');
    expect(renameVariable(text, 'name', 'customer')).toContain('12345678901234567890');
  });
});
