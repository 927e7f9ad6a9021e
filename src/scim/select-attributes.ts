import { isObject, type Resource } from './read-resource.ts';
import { allAttributes, resolvePath, type Schema } from './schema.ts';

/** The query parameters `attributes` and `excludedAttributes`; the first wins. */
export interface AttributeSelection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Whether the response contains an attribute, so that it need not be read otherwise. */
export function isSelected(schema: Schema, name: string, selection: AttributeSelection): boolean {
  const wanted = pathsOf(schema, selection.attributes);
  if (wanted !== undefined) return wanted.has(name);
  const parts = pathsOf(schema, selection.excludedAttributes)?.get(name);
  return parts === undefined || parts.size > 0;
}

/** Reduces a resource to the requested attributes, and those that are always returned. */
export function selectAttributes(
  schema: Schema,
  resource: Resource,
  { attributes, excludedAttributes }: AttributeSelection,
): Resource {
  const wanted = pathsOf(schema, attributes);
  const excluded = pathsOf(schema, excludedAttributes);
  if (wanted === undefined && excluded === undefined) return resource;
  const always = new Set(
    allAttributes(schema)
      .filter(({ returned }) => returned === 'always')
      .map(({ name }) => name),
  );
  const selected = Object.entries(resource).flatMap(([name, value]) => {
    if (always.has(name)) return [[name, value] as const];
    const parts = (wanted ?? excluded)?.get(name);
    if (parts === undefined) return wanted === undefined ? [[name, value] as const] : [];
    if (parts.size === 0) return wanted === undefined ? [] : [[name, value] as const];
    const keeps = (part: string) => parts.has(part) === (wanted !== undefined);
    return [[name, selectParts(value, keeps)] as const];
  });
  return Object.fromEntries(selected);
}

/**
 * The parts that are named for each attribute; none if it is named as a whole. Undefined without
 * the parameter. Unknown names are ignored.
 */
function pathsOf(
  schema: Schema,
  parameter: string | undefined,
): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  if (parameter === undefined || parameter.trim() === '') return undefined;
  const paths = parameter.split(',').flatMap((path) => resolvePath(schema, path.trim()) ?? []);
  const byName = Map.groupBy(paths, ({ attribute }) => attribute.name);
  return new Map(
    [...byName].map(([name, found]) => {
      const isWhole = found.some(({ sub }) => sub === undefined);
      return [name, new Set(isWhole ? [] : found.flatMap(({ sub }) => sub?.name ?? []))];
    }),
  );
}

function selectParts(value: unknown, keeps: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => selectParts(item, keeps));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => keeps(part)));
}
