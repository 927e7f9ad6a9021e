import { fixedValues } from '../../core/validation-messages.ts';

/**
 * The JSON Schema keywords that our own code reads: the issue collector, the tagged-union rewrite
 * and the OpenAPI document. Ajv understands all others.
 */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  // The next five occur only in the output of `discriminateByTag`.
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  /** The message for any invalid value, when the keywords alone would make a poor one. */
  readonly 'x-must'?: string;
  /** A pattern that is documented but not validated; see `schema-parts.ts`. */
  readonly 'x-pattern'?: string;
}

/** A body whose schema allows null may be omitted. */
export function isOptionalBody({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}

/** Fields that can tag an object with its form, such as the role of a message. */
export const tagNames = ['type', 'role', 'id'] as const;

/** The values a form fixes for a tag; undefined if it allows any value or has no such field. */
export function tagsOf(form: JsonSchema, name: string): readonly unknown[] | undefined {
  const field = form.properties?.[name];
  return field === undefined ? undefined : fixedValues(field);
}

/**
 * Rewrites unions of objects so that the tag selects the one form to validate. The verdict stays
 * the same. With `anyOf`, Ajv tries every form and builds an error for each that does not fit; a
 * hostile body of many small parts then takes half a minute to validate.
 *
 * A union is rewritten if at least two forms require the same tag with distinct string values.
 * Forms without that tag go into an `else` branch, unless they could accept one of its values: then
 * the next tag is tried, and without one the union stays as it is.
 */
export function discriminateByTag(schema: JsonSchema): JsonSchema {
  const parts = discriminateParts(schema);
  const { anyOf: forms, ...others } = parts;
  if (forms === undefined || forms.some(({ type }) => type !== 'object')) return parts;
  for (const tag of tagNames) {
    const [named, rest] = partition(forms, (form) => requiresTag(tag, form));
    const tags = named.flatMap((form) => tagsOf(form, tag) ?? []);
    if (named.length < 2 || new Set(tags).size < tags.length) continue;
    const picked = { type: 'object', required: [tag], discriminator: { propertyName: tag }, oneOf: named };
    if (rest.length === 0) return { ...others, ...picked };
    if (rest.some((form) => mayMatchTags(tag, tags, form))) continue;
    return {
      ...others,
      if: { type: 'object', required: [tag], properties: { [tag]: { enum: tags } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits a schema
      then: picked,
      // The catch-all form, if there is one, comes last in our unions; trying it first is fastest.
      else: { anyOf: rest.toReversed() },
    };
  }
  return parts;
}

/** Whether the form requires the tag and fixes it to strings. */
function requiresTag(tag: string, form: JsonSchema): boolean {
  const isText = tagsOf(form, tag)?.every((value) => typeof value === 'string') === true;
  return isText && form.required?.includes(tag) === true;
}

/** Whether a form that does not require the tag could still accept one of these values. */
function mayMatchTags(tag: string, tags: readonly unknown[], form: JsonSchema): boolean {
  const field = form.properties?.[tag];
  const excluded = field?.not?.enum ?? [];
  if (tags.every((value) => excluded.includes(value))) return false;
  const allowed = field && fixedValues(field);
  return allowed === undefined || allowed.some((value) => tags.includes(value));
}

/** The schema with every nested schema rewritten. */
function discriminateParts(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, discriminateByTag(part)]),
      ),
    }),
    ...(items && { items: discriminateByTag(items) }),
    ...(anyOf && { anyOf: anyOf.map(discriminateByTag) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: discriminateByTag(additionalProperties),
    }),
  };
}

/** Splits items into those that satisfy the predicate and the rest, each in order. */
export function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
