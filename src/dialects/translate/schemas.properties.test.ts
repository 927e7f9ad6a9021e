import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRejections } from '../../../test/support/provider-rules.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { fitSchema } from '../messages/fit-schema.ts';
import { translateRequest } from './translate-request.ts';

/** Schemas as clients write them: most of JSON Schema, and some mistakes. */

const chat = 'chat-completions';
const names = fc.constantFrom('a', 'b', 'c');
const optional = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
const anything = optional(fc.constantFrom(true, false, {}, { type: 'string' }));

/** Drops the keywords that are undefined. */
const record = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc
    .record(fields)
    .map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)));

const annotations = { description: optional(fc.constant('d')), title: optional(fc.constant('t')) };
const string = record({
  type: fc.constantFrom('string', ['string', 'null']),
  ...annotations,
  format: optional(fc.constantFrom('date', 'uri', 'color')),
  minLength: optional(fc.constant(1)),
  pattern: optional(fc.constant('^.')),
  enum: optional(fc.constantFrom(['x', 'y'], ['x', null], [], [1])),
  default: optional(fc.constant('x')),
});
const number = record({
  type: fc.constantFrom('integer', 'number', ['integer', 'null']),
  ...annotations,
  minimum: optional(fc.constant(1)),
  maximum: optional(fc.constant(3)),
  const: optional(fc.constantFrom(1, null, {})),
});

const { schema, object } = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    string,
    number,
    fc.constantFrom<JsonObject>({ type: 'null' }, { $ref: '#/$defs/shared' }, { enum: ['x', 1] }),
    fc.constantFrom<JsonObject>({}, { $ref: '#/$defs/loop' }, { $ref: '#/$defs/none' }, { type: 'any' }),
    record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }), ...annotations }),
    record({
      oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 1 }),
      type: optional(fc.constantFrom('string', 'object')),
    }),
    record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), ...annotations }),
    record({
      type: fc.constantFrom('array', ['array', 'null']),
      items: optional(tie('schema')),
      minItems: optional(fc.constantFrom(0, 1, 2)),
      maxItems: optional(fc.constant(3)),
    }),
    tie('object'),
  ),
  object: record({
    type: fc.constant('object'),
    properties: optional(fc.dictionary(names, tie('schema'), { maxKeys: 3 })),
    required: optional(fc.uniqueArray(names)),
    additionalProperties: anything,
    ...annotations,
    minProperties: optional(fc.constant(0)),
  }),
}));

const loop = { type: 'object', properties: { next: { $ref: '#/$defs/loop' } } };
const roots = fc.tuple(object, schema, fc.boolean()).map(([root, shared, isLooped]): JsonObject => {
  const refersTo = (name: string) => JSON.stringify([root, shared]).includes(`#/$defs/${name}`);
  const $defs = {
    ...(refersTo('shared') && { shared }),
    ...(refersTo('loop') && { loop: isLooped ? loop : { type: 'null' } }),
  };
  return Object.keys($defs).length === 0 ? root : { ...root, $defs };
});

/** The totals of a request are not about a single schema. */
const complaints = (body: JsonObject, dialect: 'messages' | 'responses' | typeof chat) =>
  findRejections(body, dialect).filter((problem) => !problem.startsWith('at most'));

const messages = [{ role: 'user', content: 'Hi' }];
const runs = { numRuns: 400 };

describe('any schema of a client', () => {
  it('is sent to Anthropic in a form that it accepts, or is named as lost', () => {
    fc.assert(
      fc.property(roots, fc.boolean(), (given, strict) => {
        const { body, droppedFields } = translateRequest(
          {
            messages,
            tools: [{ type: 'function', function: { name: 'f', parameters: given, strict } }],
            response_format: { type: 'json_schema', json_schema: { name: 'n', schema: given, strict } },
          },
          chat,
          'messages',
        );
        expect(complaints(body, 'messages')).toEqual([]);
        expect(body.output_config === undefined).toBe(droppedFields.includes('response_format'));
      }),
      runs,
    );
  });

  it.each([chat, 'responses'] as const)(
    'is sent to OpenAI as strict only if it accepts that, in %s',
    (to) => {
      fc.assert(
        fc.property(roots, (given) => {
          const { body, droppedFields } = translateRequest(
            {
              messages,
              tools: [{ name: 'f', input_schema: given, strict: true }],
              output_config: { format: { type: 'json_schema', schema: given } },
            },
            'messages',
            to,
          );
          expect(complaints(body, to)).toEqual([]);
          const isStrict = JSON.stringify(body).includes('"strict":true');
          expect(droppedFields).toEqual(isStrict ? [] : ['output_config.format.strict', 'tools.f.strict']);
        }),
        runs,
      );
    },
  );

  it('still describes the same values for Claude, if no keyword was lost', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    let compared = 0;
    fc.assert(
      fc.property(roots, fc.nat(), (given, seed) => {
        const { schema: fitted, dropped } = fitSchema(given) ?? {};
        if (
          fitted === undefined ||
          dropped?.some((name) => name !== 'additionalProperties' && name !== 'description')
        )
          return;
        const value = sampleOf(fitted, fitted, seed);
        compared += 1;
        expect(ajv.validate(fitted, value)).toBe(true);
        expect(ajv.validate(given, value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

/** A value that Claude may answer with, of the many that a fitted schema allows. */
function sampleOf(node: JsonObject, root: JsonObject, seed: number): unknown {
  const pick = <T>(list: readonly T[]): T => list[seed % list.length] as T;
  if (typeof node.$ref === 'string')
    return sampleOf((root.$defs as JsonObject)[node.$ref.slice('#/$defs/'.length)] as JsonObject, root, seed);
  if (Array.isArray(node.anyOf)) return sampleOf(pick(node.anyOf), root, seed);
  if (Array.isArray(node.enum)) return pick(node.enum);
  if (node.const !== undefined) return node.const;
  const type = Array.isArray(node.type) ? pick(node.type) : node.type;
  if (type === 'object') {
    const required = (node.required ?? []) as readonly string[];
    const entries = Object.entries(node.properties as JsonObject)
      .filter(([name]) => required.includes(name) || seed % 2 === 0)
      .map(([name, each]) => [name, sampleOf(each as JsonObject, root, seed)]);
    return Object.fromEntries(entries);
  }
  if (type === 'array')
    return node.items === undefined ? ['x'] : [sampleOf(node.items as JsonObject, root, seed)];
  return { string: 'x', integer: 2, number: 1.5, null: null }[type as string];
}
