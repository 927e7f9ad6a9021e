import { isUnsupported, type Named, toUtc } from '../api/schema-parts.ts';
import { type CamelCase, camelCase } from '../core/text/letter-case.ts';
import type { Type } from '../core/type.ts';
import type { JsonSchema } from './validation/json-schema.ts';

/** Translates the names of fields between the API and core, by the schemas of the API. */

/** The fields of the API as core names them, without unsupported ones, whose type is unknown. */
type Fields<Wire> = {
  readonly [Name in keyof Wire as unknown extends Wire[Name]
    ? never
    : CamelCase<Name & string>]: ReadonlyLists<Wire[Name]>;
};

type ReadonlyLists<Value> = Value extends (infer Item)[] ? readonly Item[] : Value;

/**
 * Returns a function that makes a value of core a response: exactly the fields of the schema, those
 * in `others` as given.
 */
export function toWireBy<Schema extends Type.TObject>({ schema }: Pick<Named<Schema>, 'schema'>) {
  type Wire = Type.Static<Schema>;
  const names = Object.keys(schema.properties).map((name) => [name, camelCase(name)] as const);
  return <Others extends Partial<Wire> = Record<never, never>>(
    value: Fields<Omit<Wire, keyof Others>>,
    others?: Others,
  ): Wire => {
    const all: Readonly<Record<string, unknown>> = { ...value };
    return { ...Object.fromEntries(names.map(([name, field]) => [name, all[field]])), ...others } as Wire;
  };
}

/**
 * Returns a function that makes a valid body a value of core, with times in UTC, as the database
 * stores them, and without the fields that are not supported.
 */
export function fromWireBy<Schema extends Type.TObject>({ schema }: Named<Schema>) {
  const properties: Readonly<Record<string, JsonSchema>> = schema.properties;
  const names = Object.keys(properties);
  const times = new Set(names.filter((name) => acceptsTime(properties[name])));
  const unsupported = new Set(names.filter((name) => isUnsupported(properties[name] ?? {})));
  return (body: Type.Static<Schema>): Fields<Type.Static<Schema>> => {
    const supported = Object.entries<unknown>(body).filter(([name]) => !unsupported.has(name));
    const entries = supported.map(([name, value]) => [
      camelCase(name),
      times.has(name) && typeof value === 'string' ? toUtc(value) : value,
    ]);
    return Object.fromEntries(entries);
  };
}

function acceptsTime({ format, anyOf = [] }: JsonSchema = {}): boolean {
  return format === 'date-time' || anyOf.some(acceptsTime);
}
