import { Type } from 'typebox';

/** Objects told apart by one string field, the tag; an unknown tag is refused. */
export function closedUnion<Shapes extends Type.TObject[]>(
  tag: string,
  shapes: readonly [...Shapes],
): Type.TUnion<Shapes> {
  knownTags(tag, shapes);
  return Type.Union([...shapes]);
}

/**
 * Objects told apart by one string field, the tag. An object whose tag is known must have that tag's shape;
 * one with any other tag passes untouched, so that a kind newer than this server is not refused.
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

/** Every shape must name its tags by `const` or `enum`: whoever reports an error picks the branch by them. */
function knownTags(tag: string, shapes: readonly Type.TObject[]): string[] {
  return shapes.flatMap(({ properties }) => {
    const schema = properties[tag];
    const tags = schema !== undefined && tagsOf(schema);
    if (!tags) throw new TypeError(`a shape of this union has no fixed "${tag}"`);
    return tags;
  });
}

function tagsOf(schema: Type.TSchema): string[] | undefined {
  if ('const' in schema && typeof schema.const === 'string') return [schema.const];
  if (!('enum' in schema) || !Array.isArray(schema.enum)) return undefined;
  return schema.enum.filter((value) => typeof value === 'string');
}
