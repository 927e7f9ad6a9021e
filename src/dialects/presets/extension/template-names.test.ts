import { describe, expect, it } from 'vitest';
import { compileTemplate } from './template.ts';
import { findTemplateIssues, findUndeclaredNames, findUnusedVariables, namesIn } from './template-names.ts';
import type { Declarations } from './variable-schema.ts';

const declarations: Declarations = {
  customer: { type: 'string' },
  urgent: { type: 'boolean' },
  tags: { type: 'array', items: { type: 'string' } },
  rows: { type: 'array' },
  order: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
    },
  },
  extra: { type: 'object' },
  closed: { type: 'object', additionalProperties: false },
  prices: {
    type: 'object',
    properties: { total: { type: 'number' } },
    additionalProperties: { type: 'number' },
  },
};

describe('names in a template', () => {
  it('come with the sections around them, except inverted ones', () => {
    const uses = namesIn(
      compileTemplate('{{a}}{{#b.c}}{{^d}}{{{.}}}{{/d}}{{#e}}{{f}}{{/e}}{{/b.c}}{{! x }}'),
    );
    expect(uses.map(({ reference, sections }) => [reference.name, sections.map(({ name }) => name)])).toEqual(
      [
        ['a', []],
        ['b.c', []],
        ['d', ['b.c']],
        ['.', ['b.c']],
        ['e', ['b.c']],
        ['f', ['b.c', 'e']],
      ],
    );
  });

  it.each([
    'plain text',
    '{{customer}} {{{customer}}} {{#urgent}}now{{/urgent}}{{^urgent}}{{customer}}{{/urgent}}',
    '{{order}} {{order.id}} {{order.lines}}',
    '{{#order}}{{id}} {{#lines}}{{sku}} {{id}} {{customer}}{{/lines}}{{/order}}',
    '{{#order.lines}}{{sku}} {{customer}}{{/order.lines}}',
    '{{#tags}}{{.}} {{customer}}{{/tags}}',
    '{{#customer}}{{.}}{{/customer}}{{#urgent}}{{.}}{{/urgent}}',
    '{{#rows}}{{anything}} {{any.thing}}{{/rows}}',
    '{{extra.anything.at.all}} {{#extra}}{{anything}}{{/extra}}',
    '{{prices.tax}} {{prices.total}}',
  ])('%j uses only declared names', (text) => {
    expect(findUndeclaredNames(compileTemplate(text), declarations, '')).toEqual([]);
  });

  it.each([
    [
      'Hi {{custmer}}',
      [
        '{{custmer}} at line 1, column 4, but presetd.variables does not declare custmer (did you mean customer?)',
      ],
    ],
    [
      '{{#missing}}{{also}}{{/missing}}',
      ['{{missing}} at line 1, column 1, but presetd.variables does not declare missing'],
    ],
    [
      '{{^missing}}\n{{id}}{{/missing}}',
      [
        '{{missing}} at line 1, column 1, but presetd.variables does not declare missing',
        '{{id}} at line 2, column 1, but presetd.variables does not declare id',
      ],
    ],
    ['{{.}}', ['{{.}} at line 1, column 1, but only a section has a current item']],
    ['{{customer.name}}', ['{{customer.name}} at line 1, column 1, but customer has no field name']],
    ['{{tags.length}}', ['{{tags.length}} at line 1, column 1, but tags has no field length']],
    ['{{order.lines.sku}}', ['{{order.lines.sku}} at line 1, column 1, but order.lines has no field sku']],
    [
      '{{closed.a}}{{prices.tax.b}}',
      [
        '{{closed.a}} at line 1, column 1, but closed has no field a',
        '{{prices.tax.b}} at line 1, column 13, but prices.tax has no field b',
      ],
    ],
    [
      '{{#order}}{{#lines}}{{skuu}}{{/lines}}{{/order}}',
      ['{{skuu}} at line 1, column 21, but presetd.variables does not declare skuu (did you mean sku?)'],
    ],
    [
      '{{#tags}}{{name}}{{/tags}}',
      ['{{name}} at line 1, column 10, but presetd.variables does not declare name'],
    ],
    [
      '{{constructor}}',
      ['{{constructor}} at line 1, column 1, but presetd.variables does not declare constructor'],
    ],
  ])('%j uses names that are not declared', (text, problems) => {
    expect(findUndeclaredNames(compileTemplate(text), declarations, '/instructions')).toEqual(
      problems.map((problem) => ({ path: '/instructions', message: `uses ${problem}` })),
    );
  });

  it('are not checked if the template is not valid', () => {
    expect(findTemplateIssues('{{missing}}', declarations, '/a')).toHaveLength(1);
    expect(findTemplateIssues('{{missing}}{{', declarations, '/a')).toEqual([
      { path: '/a', message: 'has an invalid tag at line 1, column 12: {{ has no closing }}' },
    ]);
  });

  it('at most 50 issues of a template are listed', () => {
    const template = compileTemplate('{{#missing}}{{/missing}}{{missing}}'.repeat(1_000));
    expect(findUndeclaredNames(template, declarations, '')).toHaveLength(50);
  });

  it('leave the other variables unused', () => {
    const templates = ['{{customer}}{{#rows}}{{urgent}}{{/rows}}', '{{order.id}}{{^tags}}{{/tags}}'].map(
      (text) => compileTemplate(text),
    );
    expect(findUnusedVariables(templates, declarations)).toEqual(['extra', 'closed', 'prices']);
    expect(findUnusedVariables([], {})).toEqual([]);
  });
});
