import type { Page } from '../core/page.ts';
import { Type } from '../core/type.ts';

// Parts that the schemas of several resources share.

const schemasByName = new Map<string, Type.TSchema>();

/**
 * Gives a schema a name of its own in the OpenAPI document; refer to it by `ref`. Client generators
 * derive class names from these, so renaming one breaks users.
 */
export function named<Schema extends Type.TSchema>(name: string, schema: Schema): Named<Schema> {
  schemasByName.set(name, schema);
  return { name, schema };
}

export interface Named<Schema extends Type.TSchema> {
  readonly name: string;
  readonly schema: Schema;
}

export function ref<Schema extends Type.TSchema>({ name }: Named<Schema>) {
  return Type.Unsafe<Type.Static<Schema>>({ $ref: `${name}#` });
}

/** For `contract.ts`, which loads every module. */
export function namedSchemas(): Readonly<Record<string, Type.TSchema>> {
  return Object.fromEntries(schemasByName);
}

export const uuid = Type.String({ format: 'uuid' });

export const workspaceIdInput = Type.String({
  format: 'uuid',
  description:
    'Only this workspace. Default: the workspace of an API key, all workspaces for an org:admin, or the default workspace.',
});

export const timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
});

export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** `{ data }`, the envelope of one resource. */
export const one = <T extends Type.TSchema>(schema: T) => Type.Object({ data: schema });

/** `{ data, total_count }`, the envelope of a page. */
export const page = <T extends Type.TSchema>(schema: T, countDescription?: string) =>
  Type.Object({
    data: Type.Array(schema),
    total_count: Type.Integer(countDescription === undefined ? {} : { description: countDescription }),
  });

/** Valid input that may be a mistake, reported beside `data`. */
export const warnings = (description: string) =>
  Type.Array(Type.Object({ path: Type.String(), message: Type.String() }, { additionalProperties: false }), {
    description,
  });

/** The response of most deletions. */
export const deleted = {
  description: 'Deleted.',
  body: Type.Object({ deleted: Type.Unsafe<boolean>({ type: 'boolean', enum: [true] }) }),
};

/** Version, event and page numbers fit in a 32-bit integer, as the database stores them. */
export const integerMax = 2_147_483_647;

/** Offset pagination, shared by all lists except the audit log, which has a cursor. */
export const pageQuery = Type.Object({
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: integerMax, description: 'Number of records to skip. Default 0.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Maximum number of records to return. Default 50.',
    }),
  ),
});

/** The requested page with defaults applied. */
export function pageOf({ offset = 0, limit = 50 }: Type.Static<typeof pageQuery>): Page {
  return { offset, limit };
}

/**
 * A time in a request, with any offset from UTC. Leap seconds are rejected, because `Date` cannot
 * represent them, and so are years before 1970 and after 9999, which do not sort as text.
 */
export const timestampInput = (description: string) =>
  Type.String({
    pattern: '^(19[789]|[2-9]\\d\\d)\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
    format: 'date-time',
    'x-must': 'must be a time since 1970 such as 2026-01-31T12:00:00Z',
    description,
  });

/** Normalizes a time to the format that the database stores, in which times compare as text. */
export function toUtc(time: string): string {
  return new Date(time).toISOString();
}

/**
 * A pattern that appears in the OpenAPI document but is not validated. The core checks the same
 * rule and explains it better than "must match pattern", so the route's validator must not reject
 * first.
 */
export function documentedPattern(pattern: string): { readonly 'x-pattern': string } {
  return { 'x-pattern': pattern };
}

/**
 * A field of OpenRouter's API for a feature that presetd does not have. Clients may send it with
 * its neutral value, which asks for nothing; any other value is rejected rather than ignored.
 */
export function unsupportedField(neutralValue: null | false | 1 | readonly [], feature: string) {
  const schema = Type.Optional(
    Type.Unsafe<unknown>({
      ...onlyValue(neutralValue),
      description: `presetd has no ${feature}.`,
      'x-must': `is not supported: presetd has no ${feature}. Omit it`,
    }),
  );
  unsupported.add(schema);
  return schema;
}

const unsupported = new WeakSet<object>();

export function isUnsupported(schema: object): boolean {
  return unsupported.has(schema);
}

/** Allows the value or null, in keywords that client generators support (no enum of booleans). */
function onlyValue(value: null | false | 1 | readonly []): object {
  if (value === null) return { type: 'null' };
  if (typeof value === 'object') return { type: ['array', 'null'], items: {}, maxItems: 0 };
  return { anyOf: [{ type: typeof value, const: value }, { type: 'null' }] };
}
