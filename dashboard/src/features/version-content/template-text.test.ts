import { describe, expect, it } from 'vitest';
import { templateParts } from './template-text.tsx';

/** Tags in angle brackets. */
const marked = (text: string) =>
  templateParts(text)
    .map(({ text, isTag }) => (isTag ? `<${text}>` : text))
    .join('|');

describe('templateParts', () => {
  it.each([
    ['', ''],
    ['No tags, { one } brace', 'No tags, { one } brace'],
    ['Hi {{customer}}!', 'Hi |<{{customer}}>|!'],
    ['{{{a}}}{{ b }}', '<{{{a}}}>|<{{ b }}>'],
    ['{{#orders}}\n- {{id}}{{/orders}}', '<{{#orders}}>|\n- |<{{id}}>|<{{/orders}}>'],
    ['{{open', '{{open'],
    ['{{! a\nnote }}x', '<{{! a\nnote }}>|x'],
  ])('splits %j', (text, parts) => {
    expect(marked(text)).toBe(parts);
  });

  it('loses nothing of a text with very many tags', () => {
    const text = 'a{{b}}'.repeat(2_000);
    const parts = templateParts(text);
    expect(parts.length).toBeLessThan(1_100);
    expect(parts.map((part) => part.text).join('')).toBe(text);
  });
});
