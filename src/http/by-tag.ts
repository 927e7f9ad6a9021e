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
export function pickByTag(schema: JsonSchema): JsonSchema {
  const parts = withParts(schema);
  const { anyOf: forms, ...others } = parts;
  const tag = forms && tagNames.find((name) => isPickedBy(name, forms));
  if (forms === undefined || tag === undefined) return parts;
  const known = forms.filter((form) => tagsOf(form, tag) !== undefined);
  const picked = { type: 'object', required: [tag], discriminator: { propertyName: tag }, oneOf: known };
  if (known.length === forms.length) return { ...others, ...picked };
  const tags = known.flatMap((form) => tagsOf(form, tag) ?? []);
  return {
    ...others,
    type: 'object',
    required: [tag],
    properties: { [tag]: { type: 'string' } },
    if: { properties: { [tag]: { enum: tags } } },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema, and nobody awaits a schema
    then: picked,
  };
}

/** Whether every form demands the tag and fixes its values, which no other has; or is the one for all other tags. */
function isPickedBy(tag: string, forms: readonly JsonSchema[]): boolean {
  const tags = forms.flatMap((form) => tagsOf(form, tag) ?? []);
  const isOpen = (form: JsonSchema) => form.properties?.[tag]?.not?.enum !== undefined;
  return (
    tags.length > 0 &&
    tags.every((value) => typeof value === 'string') &&
    new Set(tags).size === tags.length &&
    forms.every((form) => form.type === 'object' && form.required?.includes(tag) === true) &&
    forms.every((form) => tagsOf(form, tag) !== undefined || isOpen(form))
  );
}

function withParts(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, pickByTag(part)]),
      ),
    }),
    ...(items && { items: pickByTag(items) }),
    ...(anyOf && { anyOf: anyOf.map(pickByTag) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: pickByTag(additionalProperties),
    }),
  };
}
