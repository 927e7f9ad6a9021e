import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../../../../test/support/arbitrary-text.ts';
import { processorMs } from '../../../../test/support/processor-time.ts';
import { parseExact } from '../../../core/json/json-text.ts';
import { compileTemplate, createRenderBudget, renderTemplate } from './template.ts';
import type { Declarations } from './variable-schema.ts';
import { compileVariables } from './variables.ts';

const declarations: Declarations = {
  customer: { type: 'string', maxLength: 10 },
  tone: { type: 'string', enum: ['formal', 'casual'], default: 'casual' },
  count: { type: 'integer', minimum: 1, default: 3 },
  price: { type: 'number', multipleOf: 0.01, default: 0 },
  urgent: { type: 'boolean', default: false },
  order: {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^[A-Z]\\d+$' },
      lines: { type: 'array', items: { type: 'integer' } },
    },
    required: ['id'],
    additionalProperties: false,
    default: { id: 'A1' },
  },
  photo: { type: 'string', default: '' },
};

const check = compileVariables(declarations);
const issuesOf = (sent: unknown) =>
  check(sent).issues?.map(({ path, message }) => `${path.replace('/prompt/variables', '')} ${message}`);

describe('the values of variables', () => {
  it('are completed with defaults', () => {
    expect(check({ customer: 'Ada', urgent: true })).toEqual({
      values: {
        customer: 'Ada',
        tone: 'casual',
        count: 3,
        price: 0,
        urgent: true,
        order: { id: 'A1' },
        photo: '',
      },
      defaultNames: ['tone', 'count', 'price', 'order', 'photo'],
      mediaNames: [],
    });
  });

  it.each([undefined, null, {}])('may be %j if every variable has a default', (sent) => {
    expect(compileVariables({ tone: { type: 'string', default: 'x' } })(sent)).toEqual({
      values: { tone: 'x' },
      defaultNames: ['tone'],
      mediaNames: [],
    });
    expect(compileVariables({})(sent)).toEqual({ values: {}, defaultNames: [], mediaNames: [] });
  });

  it.each<[sent: unknown, issues: readonly string[]]>([
    [undefined, ['/customer is required']],
    [[], [' must be an object']],
    ['x', [' must be an object']],
    [{ customer: null }, ['/customer must be a string, not null']],
    [{ customer: 5 }, ['/customer must be a string, not a number']],
    [{ customer: ['x'] }, ['/customer must be a string, not a list']],
    [{ customer: 'much too long' }, ['/customer must have at most 10 characters']],
    [
      { custmer: 'Ada', x: 1, 'a/b': 2 },
      [
        '/customer is required',
        '/custmer is not a variable of the preset (did you mean customer?)',
        '/x is not a variable of the preset',
        '/a~1b is not a variable of the preset',
      ],
    ],
    [
      JSON.parse('{"customer":"Ada","__proto__":"x","constructor":"y"}'),
      [
        '/__proto__ is not a variable of the preset (did you mean photo?)',
        '/constructor is not a variable of the preset',
      ],
    ],
    [
      { customer: 'Ada', count: '3', price: '1.5', urgent: 'true', tone: 'rude', photo: 1 },
      [
        '/tone must be "formal" or "casual"',
        '/count must be a whole number, not a string',
        '/price must be a number, not a string',
        '/urgent must be true or false, not a string',
        '/photo must be a string, not a number',
      ],
    ],
    [{ customer: 'Ada', tone: 5 }, ['/tone must be "formal" or "casual"']],
    [
      { customer: 'Ada', count: 1.5, price: 0.015 },
      ['/count must be a whole number', '/price must be a multiple of 0.01'],
    ],
    [{ customer: 'Ada', count: 0 }, ['/count must be at least 1']],
    [
      { customer: 'Ada', order: { id: 'nope', lines: [1, '2', null], more: 1 } },
      [
        '/order/more is not a known field',
        '/order/id must match pattern "^[A-Z]\\d+$"',
        '/order/lines/1 must be a whole number, not a string',
        '/order/lines/2 must be a whole number, not null',
      ],
    ],
    [{ customer: 'Ada', order: {} }, ['/order/id is required']],
    [{ customer: 'Ada', count: true }, ['/count must be a whole number, not true']],
  ])('%j are not valid', (sent, issues) => {
    expect(issuesOf(sent)).toEqual(issues);
  });

  it.each([
    ['3.0', '3'],
    ['300e-2', '3'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e400', '1e400'],
  ])('a whole number may be written %s', (written, rendered) => {
    const result = check(parseExact(`{"customer":"Ada","count":${written}}`));
    expect(result.issues).toBeUndefined();
    if (result.issues !== undefined) return;
    expect(renderTemplate(compileTemplate('{{count}}'), result.values, createRenderBudget())).toBe(rendered);
  });

  it('numbers beyond double precision stay exact, also in lists and defaults', () => {
    const json =
      '{"n":{"type":"number","default":0.1000000000000000055511151231257827},"l":{"type":"array","items":{"type":"integer"}}}';
    const result = compileVariables(parseExact(json) as Declarations)(
      parseExact('{"l":[12345678901234567890,1]}'),
    );
    expect(JSON.stringify(result)).toBe(
      '{"values":{"l":[12345678901234567890,1],"n":0.1000000000000000055511151231257827},"defaultNames":["n"],"mediaNames":[]}',
    );
  });

  it('numbers beyond double precision are compared with limits', () => {
    const check = compileVariables({
      n: { type: 'integer', maximum: 10, enum: [1, 2] },
    });
    expect(check(parseExact('{"n":12345678901234567890}')).issues).toEqual([
      { path: '/prompt/variables/n', message: 'must be 1 or 2' },
      { path: '/prompt/variables/n', message: 'must be at most 10' },
    ]);
  });

  it.each([
    ['date', '2026-02-28', '2026-02-30', 'must be a date such as 2026-01-31'],
    ['date-time', '2026-02-28T10:00:00Z', '2026-02-28', 'must be a date-time'],
    ['email', 'ada@example.com', 'ada', 'must be an email address'],
    ['uri', 'https://example.com/a?b#c', 'no scheme', 'must be a URI'],
    ['uuid', '01890a5d-ac96-774b-bcce-b302099a8057', '1', 'must be a UUID'],
  ])('have the format %s', (format, valid, invalid, message) => {
    const check = compileVariables({ a: { type: 'string', format } });
    expect(check({ a: valid }).issues).toBeUndefined();
    expect(check({ a: invalid }).issues).toEqual([{ path: '/prompt/variables/a', message }]);
  });

  it('fields whose names objects inherit are absent unless sent', () => {
    const text = { type: 'string', default: 'x' } as const;
    const properties = { constructor: text, toString: text };
    const check = compileVariables({ o: { type: 'object', properties }, valueOf: text });
    expect(check({ o: {} }).issues).toBeUndefined();
    expect(check({ o: { constructor: 1 } }).issues).toEqual([
      { path: '/prompt/variables/o/constructor', message: 'must be a string, not a number' },
    ]);
  });
});

describe('content items', () => {
  const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' };
  const file = { type: 'input_file', file_id: 'file-1' };
  const text = (text: string) => ({ type: 'input_text', text });

  it.each([
    { type: 'input_image', detail: 'low' },
    { type: 'input_image', image_url: 'https://example.com/a.png', file_id: 'file-1' },
    { type: 'input_file', filename: 'a.pdf' },
    { type: 'input_file', file_url: 3 },
  ])('%j is not a valid item', (item) => {
    expect(issuesOf({ customer: 'Ada', photo: item })).toEqual([
      '/photo must have exactly one source: a URL, data or a file id',
    ]);
  });

  it.each([
    [{ type: 'input_text' }],
    [{ type: 'input_text', text: 1 }],
    [{ type: 'input_audio', text: 'x' }],
    [{ text: 'x' }],
    [null],
    [[image]],
  ])('%j is not an item', (value) => {
    expect(issuesOf({ customer: 'Ada', photo: value })?.[0]).toMatch('/photo must be a string');
  });

  it('a text item counts as its text', () => {
    expect(check({ customer: text('Ada'), tone: text('formal') })).toMatchObject({
      values: { customer: 'Ada', tone: 'formal' },
      mediaNames: [],
    });
    expect(issuesOf({ customer: text('much too long'), tone: text('rude') })).toEqual([
      '/customer must have at most 10 characters',
      '/tone must be "formal" or "casual"',
    ]);
  });

  it('an image or a file can be the value of a string variable', () => {
    expect(check({ customer: file, photo: image })).toMatchObject({
      values: { customer: file, photo: image },
      mediaNames: ['customer', 'photo'],
    });
  });

  it.each<[object, string]>([
    [{ enum: ['a'] }, 'must be "a"'],
    [{ const: 'a' }, 'must be "a"'],
    [{ pattern: '^a' }, 'must be a string, not an object'],
    [{ format: 'uri' }, 'must be a string, not an object'],
  ])('neither an image nor a file can be the value of a variable with %j', (keywords, message) => {
    const checkText = compileVariables({ a: { type: 'string', ...keywords } });
    for (const item of [image, file])
      expect(checkText({ a: item }).issues).toEqual([{ path: '/prompt/variables/a', message }]);
  });

  it.each<object>([
    { minLength: 3 },
    { maxLength: 3 },
    { title: 'A' },
    { description: 'A' },
    { examples: ['a'] },
  ])(
    'an image can be the value of a variable with %j, which does not say what a text has to be',
    (keywords) => {
      const checkText = compileVariables({ a: { type: 'string', ...keywords } });
      expect(checkText({ a: image })).toMatchObject({ values: { a: image }, mediaNames: ['a'] });
    },
  );

  it('an image cannot be the value of another variable, or of one with a fixed text', () => {
    expect(issuesOf({ customer: 'Ada', tone: image, count: image, order: image })).toEqual([
      '/tone must be "formal" or "casual"',
      '/count must be a whole number, not an object',
      '/order/id is required',
      '/order/type is not a known field',
      '/order/image_url is not a known field',
      '/order/detail is not a known field',
    ]);
  });
});

describe('hostile values', () => {
  const path = '/prompt/variables';

  it('more than 10,000 JSON values are rejected before they are validated', () => {
    const many = { path, message: 'must have at most 10000 JSON values' };
    expect(check({ order: { lines: Array(1_000_000).fill('x') } }).issues).toEqual([many]);
    expect(
      check(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`v${index}`, '']))).issues,
    ).toEqual([many]);
  });

  it('at most 50 unknown names and 50 issues of values are listed', () => {
    const sent = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`v${index}`, '']));
    const lines = Array(4_000).fill('x');
    expect(check({ customer: 'Ada', ...sent }).issues).toHaveLength(50);
    expect(check({ customer: 'Ada', order: { id: 'A1', lines } }).issues).toHaveLength(50);
  });

  it('a long list of alternatives is cut', () => {
    const alternatives = Array.from({ length: 500 }, (_, index) => `alternative ${index}`);
    const [issue] = compileVariables({ a: { type: 'string', enum: alternatives } })({ a: '' }).issues ?? [];
    expect(issue?.message).toHaveLength(300);
    expect(issue?.message).toMatch(/^must be "alternative 0", .*…$/);
  });

  it.each(['^(a+)+$', '^(a|aa)+$', '^(.*)*x$', '^([a-z]+)*[A-Z]$', '(?:a?){50}a{50}$'])(
    'the pattern %s takes linear time',
    (pattern) => {
      const check = compileVariables({ a: { type: 'string', pattern } });
      const value = `${'a'.repeat(2_000)}!`;
      expect(processorMs(() => check({ a: value }))).toBeLessThan(5_000);
      expect(check({ a: value }).issues).toEqual([
        { path: `${path}/a`, message: `must match pattern "${pattern}"` },
      ]);
    },
  );

  it('patterns give up on values that would take too long', () => {
    const items = { type: 'string', pattern: '^[a-z]{1,100}$' } as const;
    const check = compileVariables({ a: { type: 'array', items } });
    const tooLong = [{ path, message: 'take too long to match against their patterns' }];
    expect(check({ a: ['a'.repeat(1_000_000)] }).issues).toEqual(tooLong);
    expect(check({ a: Array(9_000).fill('a'.repeat(90)) }).issues).toEqual(tooLong);
    expect(check({ a: Array(20).fill('a'.repeat(90)) }).issues).toBeUndefined();
  });

  it('two patterns are not confused', () => {
    const check = compileVariables({
      a: { type: 'string', pattern: '^a$' },
      b: { type: 'string', pattern: '^b$' },
    });
    expect(check({ a: 'a', b: 'b' }).issues).toBeUndefined();
    expect(check({ a: 'b', b: 'a' }).issues).toHaveLength(2);
  });

  it.each(['date', 'date-time', 'email', 'uri', 'uuid'])('the format %s takes linear time', (format) => {
    const check = compileVariables({ a: { type: 'string', format } });
    const ms = processorMs(() => {
      for (const unit of ['a', '1', '-', '.', '@', 'a.', 'a@', '%41', ':', '/', '0-', ' ', 'T'])
        check({ a: `a:${unit.repeat(500_000)}\n` });
    });
    expect(ms).toBeLessThan(10_000);
  });
});

it('any text in any variable is rendered verbatim and once', () => {
  const anyText = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 10 }),
    fc.string({
      unit: fc.constantFrom('{{', '}}', '{', '#', '/', 'a', 'b', '.', '!', '\n', '$&'),
      maxLength: 10,
    }),
  );
  const check = compileVariables({
    a: { type: 'string' },
    b: { type: 'string', default: '{{a}}' },
    list: { type: 'array', items: { type: 'string' } },
    o: { type: 'object', properties: { a: { type: 'string' } } },
  });
  const template = compileTemplate('<{{a}}|{{{b}}}|{{#list}}({{.}}){{/list}}|{{#o}}{{a}}{{/o}}|{{&o.a}}>');
  fc.assert(
    fc.property(
      anyText,
      fc.option(anyText),
      fc.array(anyText, { maxLength: 4 }),
      anyText,
      (a, b, list, field) => {
        const result = check({ a, ...(b === null ? {} : { b }), list, o: { a: field } });
        if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
        expect(renderTemplate(template, result.values, createRenderBudget())).toBe(
          `<${a}|${b ?? '{{a}}'}|${list.map((item) => `(${item})`).join('')}|${field}|${field}>`,
        );
        expect(result.defaultNames).toEqual(b === null ? ['b'] : []);
      },
    ),
    { seed: 1, numRuns: 500 },
  );
});
