import type { JsonSchema } from './json-schema.ts';

/** A field that names the form of an object, such as the role of a message. */
export const tagNames = ['type', 'role', 'id'] as const;

/** Undefined when the form leaves the tag open or has no such field. */
export function tagsOf(form: JsonSchema, name: string): readonly unknown[] | undefined {
  const field = form.properties?.[name];
  return field === undefined ? undefined : fixedValues(field);
}

export function fixedValues(form: JsonSchema): readonly unknown[] | undefined {
  return form.const === undefined ? form.enum : [form.const];
}

/**
 * The same rules, put so that the tag of an object picks the form to check. By `anyOf` the validator tries one form after
 * the other and makes an error of each that does not fit, which for a body of very many small parts takes half a minute.
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
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema, and nobody awaits a schema
      then: picked,
      // The form for every other tag, if there is one, is the last.
      else: { anyOf: rest.toReversed() },
    };
  }
  return parts;
}

/** Whether the form demands the tag and says what it is. */
function requiresTag(tag: string, form: JsonSchema): boolean {
  const isText = tagsOf(form, tag)?.every((value) => typeof value === 'string') === true;
  return isText && form.required?.includes(tag) === true;
}

/** Whether a form that need not have the tag may have one of these. */
function mayMatchTags(tag: string, tags: readonly unknown[], form: JsonSchema): boolean {
  const field = form.properties?.[tag];
  const excluded = field?.not?.enum ?? [];
  if (tags.every((value) => excluded.includes(value))) return false;
  const allowed = field && fixedValues(field);
  return allowed === undefined || allowed.some((value) => tags.includes(value));
}

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

export function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
