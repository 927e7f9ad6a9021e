import fc from 'fast-check';
import type { JsonSchema } from '../../src/http/validation/json-schema.ts';
import { anyJson, anyText, objectOf } from './any-json.ts';

export type Schema = JsonSchema;

export interface SchemaValuesOptions {
  /** Resolves a `$ref`. */
  readonly resolve?: (ref: string) => Schema;
  /** Overrides the values of a field, such as an existing id. Undefined to use its schema. */
  readonly known?: (name: string, schema: Schema) => fc.Arbitrary<unknown> | undefined;
  /** Used for strings without a pattern or format. */
  readonly text?: fc.Arbitrary<string>;
}

/** Generates values that match a schema, mostly without optional fields, to keep them small. */
export function valuesOf(schema: Schema, options: SchemaValuesOptions = {}): fc.Arbitrary<unknown> {
  const known = new Map<Schema, fc.Arbitrary<unknown>>();
  return of(schema);

  function of(part: Schema): fc.Arbitrary<unknown> {
    const found = known.get(part) ?? make(part);
    known.set(part, found);
    return found;
  }

  function make(part: Schema): fc.Arbitrary<unknown> {
    if (part.$ref !== undefined) return of(resolved(part.$ref));
    if (part.const !== undefined) return fc.constant(part.const);
    if (part.enum !== undefined) return fc.constantFrom(...part.enum);
    if (part.anyOf !== undefined) return fc.oneof(...part.anyOf.map(of));
    if (part.type === undefined) return anyJson;
    const types = typeof part.type === 'string' ? [part.type] : part.type;
    return fc.oneof(...types.map((type) => ofType(type, part)));
  }

  function resolved(ref: string): Schema {
    const found = options.resolve?.(ref);
    if (found === undefined) throw new Error(`cannot resolve ${ref}`);
    return found;
  }

  function ofType(type: string, part: Schema): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.oneof(numbers(part, true), integers(part));
      case 'number':
        return fc.oneof(numbers(part, false), integers(part));
      case 'string':
        return texts(part);
      case 'array':
        return fc.array(part.items === undefined ? anyJson : of(part.items), {
          minLength: part.minItems ?? 0,
          maxLength: Math.min(part.maxItems ?? 3, Math.max(part.minItems ?? 0, 3)),
        });
      case 'object':
        return objects(part);
      default:
        throw new Error(`cannot generate values of type ${type}`);
    }
  }

  function texts(part: Schema): fc.Arbitrary<string> {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format, not } = part;
    const generated =
      format === 'uuid'
        ? fc.uuid()
        : format === 'date-time'
          ? times
          : format === 'date'
            ? times.map((time) => time.slice(0, 10))
            : pattern === undefined
              ? (options.text ?? anyText).map((text) => sized(text, minLength, maxLength))
              : matching(pattern);
    const excluded: readonly unknown[] = not?.enum ?? [];
    return generated.filter((text) => text.length <= maxLength && !excluded.includes(text));
  }

  function objects(part: Schema): fc.Arbitrary<Record<string, unknown>> {
    const { properties = {}, required = [], additionalProperties = true } = part;
    const fields = Object.entries(properties).map(([name, field]) => {
      const value = (options.known?.(name, field) ?? of(field)).map((given) => [name, given] as const);
      return required.includes(name) ? value : rarely(value);
    });
    const others = typeof additionalProperties === 'object' ? of(additionalProperties) : anyJson;
    const names = part.propertyNames === undefined ? anyText : texts(part.propertyNames);
    const isFree = additionalProperties !== false;
    const isMap = typeof additionalProperties === 'object' || fields.length === 0;
    const extra = fc.tuple(
      names.filter((name) => !Object.hasOwn(properties, name)),
      others,
    );
    const extras = fc.array(extra, {
      minLength: isMap && isFree ? (part.minProperties ?? 0) : 0,
      maxLength: isFree ? Math.min(part.maxProperties ?? 3, isMap ? 3 : 1) : 0,
    });
    const all = fc
      .tuple(fc.tuple(...fields), isMap ? extras : rarely(extras))
      .map(([given, more]) => [...given.filter((field) => field !== undefined), ...(more ?? [])]);
    return objectOf(all).filter((value) => Object.keys(value).length >= (part.minProperties ?? 0));
  }
}

function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

function integers({ minimum, maximum }: Schema): fc.Arbitrary<number> {
  const least = minimum ?? -(2 ** 31);
  const min = Math.ceil(least);
  return fc.integer({ min, max: Math.max(min, Math.floor(maximum ?? 2 ** 31 - 1)) });
}

/** Includes the limits of the allowed range. */
function numbers({ minimum: min = -1e6, maximum = 1e6 }: Schema, isInteger: boolean): fc.Arbitrary<unknown> {
  if (isInteger) return fc.constantFrom(Math.ceil(min), Math.floor(Math.max(min, maximum)));
  return fc.oneof(
    fc.double({ min, max: maximum, noNaN: true }),
    fc.constantFrom(min, maximum),
    fc.constant(min),
  );
}

function sized(text: string, min: number, max: number): string {
  // Limits count code points, and a code point has at most two JavaScript characters.
  const padded = text.padEnd(min * 2, 'x');
  return padded.length <= max ? padded : padded.slice(0, max);
}

const times = fc
  .date({ min: new Date('1970-01-02'), max: new Date('2999-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** fast-check does not support lookaheads: generate without them, then filter by the pattern. */
function matching(pattern: string): fc.Arbitrary<string> {
  const whole = new RegExp(pattern, 'u');
  return fc
    .stringMatching(new RegExp(pattern.replaceAll(/\(\?[!=][^)]*\)/g, '')))
    .filter((text) => whole.test(text));
}
