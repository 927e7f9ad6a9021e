import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { Type } from '../../core/type.ts';
import { closedUnion, nullable, openUnion } from './combinators.ts';

const circle = Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() });
const polygon = Type.Object({ kind: Type.Enum(['square', 'triangle']), side: Type.Number() });

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const open = ajv.compile(openUnion('kind', [circle, polygon]));
const closed = ajv.compile(closedUnion('kind', [circle, polygon]));

describe('a tagged union', () => {
  it.each([
    [{ kind: 'circle', radius: 1 }, true, true],
    [{ kind: 'square', side: 1 }, true, true],
    [{ kind: 'triangle', side: 1, color: 'red' }, true, true],
    [{ kind: 'triangle' }, false, false],
    [{ kind: 'circle', side: 1 }, false, false],
    [{ kind: 'star' }, true, false],
    [{ kind: 5 }, false, false],
    [{ radius: 1 }, false, false],
    ['circle', false, false],
  ])('accepts %j: %s if open, %s if closed', (value, whenOpen, whenClosed) => {
    expect(open(value)).toBe(whenOpen);
    expect(closed(value)).toBe(whenClosed);
  });

  it('is plain JSON Schema with the branch for unknown tags last', () => {
    const schema = JSON.parse(JSON.stringify(openUnion('kind', [circle, polygon])));
    expect(schema.anyOf.at(-1)).toEqual({
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string', not: { enum: ['circle', 'square', 'triangle'] } } },
    });
  });

  it('cannot be built from a shape without a fixed tag', () => {
    const shapeless = Type.Object({ kind: Type.String() });
    expect(() => openUnion('kind', [circle, shapeless])).toThrow('no fixed "kind"');
    expect(() => closedUnion('type', [circle])).toThrow('no fixed "type"');
  });
});

describe('nullable', () => {
  it.each([
    ['a number with bounds', Type.Number({ maximum: 1 }), 1, 2],
    ['an enum', Type.Enum(['a']), 'a', 'b'],
    ['a literal', Type.Literal('a'), 'a', 'b'],
    ['an object', Type.Object({ a: Type.String() }), { a: '' }, {}],
    ['a union', Type.Union([Type.String(), Type.Array(Type.String())]), ['a'], [1]],
  ])('%s accepts null and its own values, and rejects others', (_, schema, valid, invalid) => {
    const validate = ajv.compile(nullable(schema));
    expect(validate(valid)).toBe(true);
    expect(validate(null)).toBe(true);
    expect(validate(invalid)).toBe(false);
  });
});
