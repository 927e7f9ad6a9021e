/**
 * Unions of tools, messages and the like. Whether one is open or closed decides if presetd accepts
 * types that did not exist when it was released.
 */

import { Type } from 'typebox';

/** Objects distinguished by one string field, the tag. Unknown tags are rejected. */
export function closedUnion<Shapes extends Type.TObject[]>(
  tag: string,
  shapes: readonly [...Shapes],
): Type.TUnion<Shapes> {
  knownTags(tag, shapes);
  return Type.Union([...shapes]);
}

/**
 * Objects distinguished by one string field, the tag. An object with a known tag must have its
 * shape. An object with an unknown tag passes unchecked, so that types newer than presetd are
 * accepted.
 */
export function openUnion<Tag extends string, Shapes extends Type.TObject[]>(
  tag: Tag,
  shapes: readonly [...Shapes],
): Type.TUnion<[...Shapes, Type.TUnsafe<Record<Tag, string>>]> {
  const unknownShape = Type.Unsafe<Record<Tag, string>>({
    type: 'object',
    required: [tag],
    properties: { [tag]: { type: 'string', not: { enum: knownTags(tag, shapes) } } },
  });
  return Type.Union([...shapes, unknownShape]);
}

/** Requires `const` or `enum` tags, by which error reporting selects the right branch. */
function knownTags(tag: string, shapes: readonly Type.TObject[]): string[] {
  return shapes.flatMap(({ properties }) => {
    const schema = properties[tag];
    const tags = schema !== undefined && tagsOf(schema);
    if (!tags) throw new TypeError(`a shape of the union has no fixed "${tag}"`);
    return tags;
  });
}

function tagsOf(schema: Type.TSchema): string[] | undefined {
  if ('const' in schema && typeof schema.const === 'string') return [schema.const];
  if (!('enum' in schema) || !Array.isArray(schema.enum)) return undefined;
  return schema.enum.filter((value) => typeof value === 'string');
}
