import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import mustache from 'mustache';
import { describe, expect, it } from 'vitest';
import { compileTemplate, createRenderBudget, renderTemplate } from './template.ts';

const render = (text: string, values: unknown) =>
  renderTemplate(compileTemplate(text), values, createRenderBudget());

interface SpecTest {
  readonly name: string;
  readonly desc: string;
  readonly data: unknown;
  readonly template: string;
  readonly expected: string;
}

function readSpec(name: string): readonly SpecTest[] {
  const url = new URL(`../../../../test/support/mustache-spec/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { tests: readonly SpecTest[] }).tests;
}

/** Templates are prompts, not HTML, so nothing is escaped. */
const unescaped: Readonly<Record<string, string>> = {
  'HTML Escaping': 'These characters should be HTML escaped: & " < >\n',
};

describe.each([
  ['interpolation', 30],
  ['sections', 25],
  ['inverted', 21],
  ['comments', 11],
])('the Mustache specification for %s', (name, count) => {
  const tests = readSpec(name);

  it('has the expected number of tests', () => {
    expect(tests).toHaveLength(count);
  });

  it.each(tests)('$name: $desc', ({ name, template, data, expected }) => {
    expect(render(template, data)).toBe(unescaped[name] ?? expected);
  });
});

/**
 * Templates in the part of the language where mustache.js follows the specification. It also
 * removes lines with several section tags and nothing else, and looks for the first part of a
 * dotted name again in outer sections if the second is absent.
 */
const { block } = fc.letrec<{ block: string }>((tie) => {
  const name = fc.constantFrom('a', 'b', 'list', 'list.d', 'a.b', 'd', '.', 'missing', 'no', 'zero', 'empty');
  const inline = fc.oneof(
    fc.string({ unit: fc.constantFrom('x ', ' ', '{ ', '}', '\t', 'é'), maxLength: 6 }),
    name.map((key) => `{{{${key}}}}`),
    name.map((key) => `{{& ${key} }}`),
  );
  const indent = fc.constantFrom('', '  ', '\t');
  const newline = fc.constantFrom('\n', '\r\n');
  return {
    block: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(fc.array(inline, { maxLength: 4 }), newline).map(([parts, end]) => parts.join('|') + end),
      fc.tuple(indent, newline).map(([before, end]) => `${before}{{! note }}${end}`),
      fc
        .tuple(fc.constantFrom('#', '^'), name, indent, newline, fc.array(tie('block'), { maxLength: 3 }))
        .map(
          ([sigil, key, before, end, blocks]) =>
            `${before}{{${sigil}${key}}}${end}${blocks.join('')}${before}{{/ ${key} }}${before}${end}`,
        ),
    ),
  };
});

it('a template renders as in mustache.js', () => {
  const values = { a: { b: 'B' }, b: 'b', list: [{ d: 1 }, { d: 2, b: [] }], no: false, zero: 0, empty: '' };
  fc.assert(
    fc.property(fc.array(block, { maxLength: 5 }), (blocks) => {
      const template = blocks.join('');
      const expected = mustache.render(template, withJsonAsText(values), {}, { escape: String });
      expect(render(template, values)).toBe(expected);
    }),
    { seed: 1, numRuns: 1_000 },
  );
});

/** Objects and lists with a `toString` that writes JSON. mustache.js calls it. */
function withJsonAsText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(withJsonAsText)
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withJsonAsText(item)]));
  return Object.defineProperty(copy, 'toString', { value: () => JSON.stringify(value) });
}
