import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint, codeUnit } from '../../../../test/support/arbitrary-text.ts';
import { processorMs } from '../../../../test/support/processor-time.ts';
import { PresetdError } from '../../../core/errors.ts';
import { parseExact } from '../../../core/json/json-text.ts';
import { compileTemplate, createRenderBudget, renderTemplate, soleVariable } from './template.ts';

const render = (text: string, values: unknown = {}) =>
  renderTemplate(compileTemplate(text), values, createRenderBudget());

const issuesOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof PresetdError && error.kind === 'invalid_request') return error.issues;
    throw error;
  }
  throw new Error('accepted');
};

/** For hostile input. Far more than it takes, and far less than unbounded work would. */
const secondsMax = 10;
const timed = <Result>(run: () => Result): Result => {
  let result: Result | undefined;
  const ms = processorMs(() => {
    result = run();
  });
  expect(ms).toBeLessThan(secondsMax * 1_000);
  return result as Result;
};

describe('rendering a template', () => {
  const order = { id: 'A1', lines: [{ sku: 'x', count: 2 }, { sku: 'y' }], paid: false };

  it.each<[template: string, values: unknown, expected: string]>([
    ['', {}, ''],
    ['no tags, { one } brace, a }} and a {', {}, 'no tags, { one } brace, a }} and a {'],
    ['Hello {{name}}!', { name: 'Ada' }, 'Hello Ada!'],
    ['{{name}}}', { name: 'Ada' }, 'Ada}'],
    ['{{ name }} {{{ name }}} {{& name }}', { name: '<&"\'`=/>' }, '<&"\'`=/> <&"\'`=/> <&"\'`=/>'],
    [
      '{{a}}',
      { a: '{{b}} {{{b}}} {{#b}}{{/b}} {{! c }} {{=<% %>=}}', b: 'x' },
      '{{b}} {{{b}}} {{#b}}{{/b}} {{! c }} {{=<% %>=}}',
    ],
    ['{{a}}', { a: "$& $1 $' \\n %s" }, "$& $1 $' \\n %s"],
    ['{{a}}', { a: 1.5 }, '1.5'],
    ['{{a}} {{b}}', { a: true, b: false }, 'true false'],
    ['[{{a}}{{b}}]', { a: null }, '[]'],
    ['{{order}}', { order }, JSON.stringify(order)],
    ['{{order.lines}}', { order }, '[{"sku":"x","count":2},{"sku":"y"}]'],
    [
      '{{#order}}{{id}}: {{#lines}}{{sku}}×{{count}} of {{id}}, {{/lines}}{{/order}}',
      { order },
      'A1: x×2 of A1, y× of A1, ',
    ],
    ['{{#order.lines}}{{sku}}{{/order.lines}}', { order }, 'xy'],
    ['{{#list}}{{.}},{{/list}}', { list: ['a', 1, false, null, [2], { b: 3 }] }, 'a,1,false,,[2],{"b":3},'],
    ['{{#list}}({{#.}}{{.}}{{/.}}){{/list}}', { list: [[1, 2], [3]] }, '(12)(3)'],
    ['{{#name}}Dear {{.}}{{/name}}{{^name}}Hello{{/name}}', { name: 'Ada' }, 'Dear Ada'],
    ['{{#name}}Dear {{name}}{{/name}}{{^name}}Hello{{/name}}', { name: '' }, 'Hello'],
    ['{{#n}}some{{/n}}{{^n}}none{{/n}}', { n: 0 }, 'none'],
    ['{{#n}}some{{/n}}{{^n}}none{{/n}}', { n: {} }, 'some'],
    ['{{#n}}some{{/n}}{{^n}}none{{/n}}', { n: [] }, 'none'],
    ['{{#yes}}{{a}}{{/yes}}', { yes: true, a: 1 }, '1'],
    ['{{#a}}{{b.c}}{{/a}}', { a: { b: {} }, b: { c: 'outer' } }, ''],
    ['{{#a}}[{{b}}]{{/a}}', { a: { b: null }, b: 'outer' }, '[]'],
    ['{{a.b}}', { 'a.b': 'one key' }, ''],
    ['a\n  {{#yes}}\nb\n  {{/yes}}\nc', { yes: true }, 'a\nb\nc'],
    ['a\r\n{{! note }}\r\nb', {}, 'a\r\nb'],
    ['a\n{{#yes}} {{/yes}}\nb', { yes: true }, 'a\n \nb'],
    ['{{#yes}}\n{{/yes}}', { yes: true }, ''],
    ['\u00a0{{! note }}\nb', {}, '\u00a0\nb'],
    ['{{!}}{{! a\nb }}x', {}, 'x'],
    ['{{\n name \n}}', { name: 'x' }, 'x'],
  ])('%j with %j is %j', (template, values, expected) => {
    expect(render(template, values)).toBe(expected);
  });

  it.each([
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'text.length',
    'list.length',
    'text.constructor',
    'list.map',
    'object.toString',
    '__proto__.toString',
    'number.rawJSON',
  ])('{{%s}} is absent, even in a section', (name) => {
    const values = parseExact(
      '{"text":"abc","list":[1],"object":{},"number":12345678901234567890,"yes":true}',
    );
    for (const section of ['yes', 'text', 'list', 'object', 'number'])
      expect(
        render(`[{{${name}}}{{#${section}}}{{${name}}}{{#${name}}}x{{/${name}}}{{/${section}}}]`, values),
      ).toBe('[]');
  });

  it('fields of JSON whose names objects inherit are inserted', () => {
    const values = JSON.parse('{"constructor":"a","__proto__":"b","length":{"toString":"c"}}');
    expect(render('{{constructor}}{{__proto__}}{{length.toString}}', values)).toBe('abc');
  });

  it('numbers beyond double precision are written digit for digit', () => {
    const values = parseExact(
      '{"a":12345678901234567890,"b":[0.1000000000000000055511151231257827],"c":1e400}',
    );
    expect(render('{{a}} {{b}} {{#b}}{{.}}{{/b}} {{#c}}{{c}}{{/c}}', values)).toBe(
      '12345678901234567890 [0.1000000000000000055511151231257827] 0.1000000000000000055511151231257827 1e400',
    );
  });
});

describe('compiling a template', () => {
  it.each([
    ['a {{> header}}', 'line 1, column 3: {{> header}} is a partial, and a template cannot include others'],
    ['a\n{{=<% %>=}}', 'line 2, column 1: {{=<% %>=}} changes the delimiters, which are always {{ and }}'],
    ['{{name', 'line 1, column 1: {{name has no closing }}'],
    ['{{{name}}', 'line 1, column 1: {{{name}} has no closing }}}'],
    [
      '{{}}',
      'line 1, column 1: {{}} needs a name: at most 64 letters, digits and underscores, and no digit first',
    ],
    [
      '{{a b}}',
      'line 1, column 1: {{a b}} needs a name: at most 64 letters, digits and underscores, and no digit first',
    ],
    [
      '{{1a}}',
      'line 1, column 1: {{1a}} needs a name: at most 64 letters, digits and underscores, and no digit first',
    ],
    [
      '{{größe}}',
      'line 1, column 1: {{größe}} needs a name: at most 64 letters, digits and underscores, and no digit first',
    ],
    [
      '{{a..b}}',
      'line 1, column 1: {{a..b}} needs a name: at most 64 letters, digits and underscores, and no digit first',
    ],
    [
      '{{a.}}',
      'line 1, column 1: {{a.}} needs a name: at most 64 letters, digits and underscores, and no digit first',
    ],
    [
      '{{$block}}{{/block}}',
      'line 1, column 1: {{$block}} needs a name: at most 64 letters, digits and underscores, and no digit first',
    ],
    [
      `{{${'a'.repeat(65)}}}`,
      `line 1, column 1: {{${'a'.repeat(57)}… needs a name: at most 64 letters, digits and underscores, and no digit first`,
    ],
    ['x{{#a}}', 'line 1, column 2: the section is never closed; add {{/a}}'],
    ['{{/a}}', 'line 1, column 1: {{/a}} closes a section that is not open'],
    [
      '{{#a}}{{#b}}{{/a}}{{/b}}',
      'line 1, column 13: {{/a}} must be {{/b}}, because that section is still open',
    ],
    ['{{#a}}'.repeat(33) + '{{/a}}'.repeat(33), 'line 1, column 193: a is nested more than 32 sections deep'],
  ])('rejects the template %j', (text, problem) => {
    expect(issuesOf(() => compileTemplate(text, '/instructions'))).toEqual([
      { path: '/instructions', message: `has an invalid tag at ${problem}` },
    ]);
  });

  it('accepts 32 nested sections and names of 64 characters', () => {
    const name = 'a'.repeat(64);
    const text = `${`{{#${name}}}`.repeat(32)}x${`{{/${name}}}`.repeat(32)}`;
    expect(render(text, { [name]: true })).toBe('x');
  });

  it.each([
    ['{{customer}}', 'customer'],
    ['{{{ customer }}}', 'customer'],
    [' {{customer}}', undefined],
    ['{{customer}}{{customer}}', undefined],
    ['{{customer.name}}', undefined],
    ['{{.}}', undefined],
    ['{{#customer}}{{/customer}}', undefined],
    ['customer', undefined],
    ['', undefined],
  ])('soleVariable of %j is %j', (text, expected) => {
    expect(soleVariable(compileTemplate(text))).toBe(expected);
  });
});

describe('bounds of templates', () => {
  const tooLong = [{ path: '/prompt/variables', message: 'make the preset longer than 1048576 characters' }];
  const tooManySteps = [{ path: '/prompt/variables', message: 'take more than 100000 steps to render' }];
  const mebibyte = 1_048_576;

  it('all templates of a call share one output budget', () => {
    const budget = createRenderBudget();
    const template = compileTemplate('{{a}}');
    const half = { a: 'x'.repeat(mebibyte / 2) };
    expect(renderTemplate(template, half, budget) + renderTemplate(template, half, budget)).toHaveLength(
      mebibyte,
    );
    expect(issuesOf(() => renderTemplate(template, { a: 'x' }, budget))).toEqual(tooLong);
  });

  it.each<[name: string, text: string, values: unknown, issues: unknown]>([
    ['a huge value', '{{a}}', { a: 'x'.repeat(30_000_000) }, tooLong],
    ['a huge value inside an object', '{{a}}', { a: { b: 'x'.repeat(10_000_000) } }, tooLong],
    ['a large value many times', '{{a}}'.repeat(10_000), { a: 'x'.repeat(1_000) }, tooLong],
    ['a long list', '{{#a}}{{.}}{{/a}}', { a: Array(1_000_000).fill(1) }, tooManySteps],
    ['an empty section over a long list', '{{#a}}{{/a}}', { a: Array(1_000_000).fill(1) }, tooManySteps],
    [
      'a section of comments over a long list',
      '{{#a}}{{! }}{{/a}}',
      { a: Array(1_000_000).fill(1) },
      tooManySteps,
    ],
    [
      'sections that multiply a list',
      `${'{{#a}}'.repeat(32)}x${'{{/a}}'.repeat(32)}`,
      { a: Array(10).fill(1) },
      tooManySteps,
    ],
    ['more tags than steps', '{{a}}'.repeat(200_000), { a: '' }, tooManySteps],
  ])('%s is an error', (_, text, values, issues) => {
    expect(timed(() => issuesOf(() => render(text, values)))).toEqual(issues);
  });

  it.each([
    ['a mebibyte without tags', 'word '.repeat(200_000)],
    ['a mebibyte of spaces in a comment', `{{!${' '.repeat(mebibyte)}x}}`],
    ['a mebibyte of spaces in a tag', `{{ ${' '.repeat(mebibyte)}a }}`],
    ['a mebibyte of spaces around tags', `{{! }}${' '.repeat(mebibyte)}{{! }}x`],
    ['a mebibyte of tags', '{{a.b}}'.repeat(99_000)],
    ['a name with many parts', `{{a${'.a'.repeat(500_000)}}}`],
    ['many comments on one line', '{{! }} '.repeat(99_000)],
  ])('compiles and renders %s', (_, text) => {
    const output = timed(() =>
      renderTemplate(compileTemplate(text), { a: {} }, { charactersLeft: 2e6, stepsLeft: 2e6 }),
    );
    expect(output.length).toBeLessThanOrEqual(text.length);
  });

  it.each([
    ['braces', '{'.repeat(1_000_000)],
    ['tags that never close', '{{a '.repeat(250_000)],
    ['comments that never close', '{{! '.repeat(250_000)],
    ['spaces in a tag that never closes', `{{a${' '.repeat(mebibyte)}b`],
    ['sections that never close', '{{#a}}'.repeat(170_000)],
    ['ends of sections', '{{/a}}'.repeat(170_000)],
    ['spaces before a name that is not valid', `{{${' '.repeat(mebibyte)}%}}`],
    ['spaces after a sigil', `{{#${' '.repeat(mebibyte)}%}}`],
    ['spaces in triple braces', `{{{${' '.repeat(mebibyte)}%}}}`],
    ['parts of a name that is not valid', `{{a${'.a'.repeat(mebibyte / 2)}%}}`],
    ['a name that is too long', `{{${'a'.repeat(mebibyte)}}}`],
  ])('rejects a mebibyte of %s', (_, text) => {
    expect(timed(() => issuesOf(() => compileTemplate(text)))).toHaveLength(1);
  });
});

describe('templates of random text', () => {
  const runs = { seed: 1, numRuns: 500 };
  const braces = fc.constantFrom(
    '{{',
    '}}',
    '{',
    '}',
    '#',
    '^',
    '/',
    '!',
    '&',
    '>',
    '=',
    'a',
    'b.c',
    '.',
    ' ',
    '\n',
    '\r\n',
    '$&',
  );
  const anyText = fc.oneof(
    fc.string({ unit: braces, maxLength: 30 }),
    fc.string({ unit: codePoint }),
    fc.string({ unit: codeUnit }),
  );
  const literal = anyText.map((text) => text.replaceAll(/\{(?=\{|$)/g, ''));

  it('a template without tags renders to itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!text.includes('{{'));
        expect(render(text, { a: 'x' })).toBe(text);
      }),
      runs,
    );
  });

  it('a value arrives verbatim and once, and is never rendered again', () => {
    fc.assert(
      fc.property(literal, anyText, literal, anyText, literal, (before, a, between, b, after) => {
        const expected = before + a + between + b + after;
        expect(render(`${before}{{a}}${between}{{{b}}}${after}`, { a, b })).toBe(expected);
        expect(render(`${before}{{o.a}}${between}{{&o.b}}${after}`, { o: { a, b } })).toBe(expected);
        expect(render(`x{{#l}}${before}{{.}}{{/l}}`, { l: [a, b] })).toBe(`x${before}${a}${before}${b}`);
      }),
      runs,
    );
  });

  it('a template compiles, or is rejected with one issue', () => {
    fc.assert(
      fc.property(fc.string({ unit: braces, maxLength: 40 }), (text) => {
        try {
          render(text, { a: [1, { b: { c: 'x' } }] });
        } catch (error) {
          expect((error as PresetdError).kind).toBe('invalid_request');
          expect((error as PresetdError).issues).toHaveLength(1);
        }
      }),
      { ...runs, numRuns: 3_000 },
    );
  });
});
