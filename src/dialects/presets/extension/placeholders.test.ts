import { expect, test } from 'vitest';
import { findPlaceholders } from './placeholders.ts';

test.each([
  ['', []],
  ['Hi {{ name }}, {{tone}} and {{tone}}.', ['name', 'tone']],
  ['{{#items}}{{title}}{{/items}} {{ # a }}{{b}}\n{{ / a }}{{^ a }}{{c}}{{/a}}', []],
  ['{{9x}} {{ city } {{{name}}} {single}', ['name']],
  [`{{${'a'.repeat(65)}}}`, []],
])('the text %j has the placeholders %j', (text, names) => {
  expect(findPlaceholders(text)).toEqual(names);
});

test('placeholders are found in linear time', () => {
  const start = performance.now();
  findPlaceholders(`${'{{#a}}'.repeat(20_000)}${'{{ '.repeat(20_000)}{{${' '.repeat(100_000)}#`);
  expect(performance.now() - start).toBeLessThan(2_000);
});
