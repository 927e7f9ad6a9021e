import { type ParsedFilter, parseValueFilter } from './filter.ts';
import { isObject, type Resource, readResource, readValue } from './read-resource.ts';
import { type Attribute, type AttributePath, resolvePath, type Schema } from './schema.ts';
import { ScimError } from './scim-error.ts';

/** Providers send a few; each may walk over all members of a group. */
const operationsMax = 1_000;

export interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string | undefined;
  readonly value: unknown;
}

/**
 * Applies a PATCH body to a resource (RFC 7644, section 3.5.2), the way Okta and Entra ID send it:
 * operations in any case, dotted names as keys of a value, booleans as text, and members to remove
 * as a value. Returns what clients can set of the resource. Operations on attributes that the
 * schema does not have are ignored.
 */
export function applyPatch(schema: Schema, resource: Resource, body: unknown): Resource {
  const patched = readOperations(body).reduce(
    (current, operation) => applyOperation(schema, current, operation),
    resource,
  );
  return readResource(schema, patched);
}

/** Throws for a body that is not a list of operations. */
export function readOperations(body: unknown): readonly Operation[] {
  const operations = isObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1]
    : undefined;
  if (!Array.isArray(operations) || operations.length === 0)
    throw new ScimError('invalidSyntax', 'Operations must be a list of at least one operation.');
  if (operations.length > operationsMax)
    throw new ScimError('tooMany', `Operations has more than ${operationsMax} operations. Send fewer.`);
  return operations.map(readOperation);
}

function readOperation(operation: unknown, index: number): Operation {
  const name = `Operations[${index}]`;
  if (!isObject(operation)) throw new ScimError('invalidSyntax', `${name} must be an object.`);
  const { path, value } = operation;
  const op = typeof operation.op === 'string' ? operation.op.toLowerCase() : operation.op;
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw new ScimError('invalidSyntax', `${name}.op must be add, replace or remove.`);
  if (path !== undefined && typeof path !== 'string')
    throw new ScimError('invalidPath', `${name}.path must be a string.`);
  if (op === 'remove' && path === undefined)
    throw new ScimError('noTarget', `${name} removes nothing. Name an attribute in path.`);
  if (op !== 'remove' && value === undefined)
    throw new ScimError('invalidSyntax', `${name}.value is missing.`);
  return { op, path: path as string | undefined, value };
}

function applyOperation(schema: Schema, resource: Resource, operation: Operation): Resource {
  const { op, path, value } = operation;
  if (path === undefined) {
    if (!isObject(value))
      throw new ScimError('invalidSyntax', 'Without a path, value must be an object of attributes.');
    return Object.entries(value).reduce((current, [name, item]) => {
      const target = resolvePath(schema, name);
      return target === undefined || target.attribute.mutability === 'readOnly'
        ? current
        : applyAt(current, { op, path: name, value: item }, target, undefined);
    }, resource);
  }
  const match = /^(?<name>[^[\]]+)(?:\[(?<filter>.*)\](?:\.(?<part>[\w$-]+))?)?$/s.exec(path);
  if (match === null) throw new ScimError('invalidPath', `The path ${path} cannot be read.`);
  const { name = '', filter, part } = match.groups ?? {};
  const target = resolvePath(schema, part === undefined ? name : `${name}.${part}`);
  if (target === undefined) return resource;
  const { attribute, sub } = target;
  if (attribute.mutability === 'readOnly')
    throw new ScimError('mutability', `${attribute.name} is read-only.`);
  if (filter === undefined) return applyAt(resource, operation, target, undefined);
  // `emails.value[…]` selects nothing, unlike `emails[…].value`.
  if (!attribute.multiValued || (part === undefined && sub !== undefined))
    throw new ScimError('invalidPath', `The path ${path} has a filter, but ${name} is not a list.`);
  return applyAt(resource, operation, target, parseValueFilter(attribute, filter));
}

function applyAt(
  resource: Resource,
  operation: Operation,
  target: AttributePath,
  filter: ParsedFilter | undefined,
): Resource {
  const { attribute } = target;
  const current = resource[attribute.name];
  if (!attribute.multiValued)
    return { ...resource, [attribute.name]: changedOne(current, operation, target) };
  const values = Array.isArray(current) ? current.filter(isObject) : [];
  const next =
    filter === undefined
      ? changedList(values, operation, target)
      : changedMatches(values, operation, target, filter);
  return { ...resource, [attribute.name]: next };
}

/** A value that is undefined afterwards is absent. */
function changedOne(current: unknown, { op, path, value }: Operation, target: AttributePath): unknown {
  const { attribute, sub } = target;
  const parts = isObject(current) ? current : {};
  if (sub !== undefined)
    return { ...parts, [sub.name]: op === 'remove' ? undefined : readValue(sub, value, path ?? '') };
  if (op === 'remove') return undefined;
  const read = readValue(attribute, value, attribute.name);
  return isObject(read) ? { ...parts, ...read } : read;
}

function changedList(
  values: readonly Resource[],
  { op, path, value }: Operation,
  { attribute, sub }: AttributePath,
): readonly Resource[] {
  if (sub !== undefined) {
    const part = { [sub.name]: op === 'remove' ? undefined : readValue(sub, value, path ?? '') };
    return values.length === 0 && op !== 'remove' ? [part] : values.map((each) => ({ ...each, ...part }));
  }
  if (op === 'remove') return value === undefined || value === null ? [] : without(values, value);
  const read = (readValue(attribute, value, attribute.name) ?? []) as readonly Resource[];
  return op === 'replace' ? read : withAdded(values, read);
}

function changedMatches(
  values: readonly Resource[],
  { op, path = '', value }: Operation,
  { attribute, sub }: AttributePath,
  { matches, equality }: ParsedFilter,
): readonly Resource[] {
  if (op === 'remove' && sub === undefined) return values.filter((each) => !matches(each));
  const given = op === 'remove' ? undefined : readPart(attribute, sub, value, path);
  const change: Resource = sub === undefined ? (isObject(given) ? given : {}) : { [sub.name]: given };
  if (values.some(matches))
    return withOnePrimary(
      values.map((each) => (matches(each) ? { ...each, ...change } : each)),
      matches,
      change,
    );
  if (op === 'remove') return values;
  // Entra ID sets the address of a type that the user does not have yet.
  if (equality === undefined || (op === 'replace' && sub === undefined))
    throw new ScimError('noTarget', `The path ${path} matches no value.`);
  const added = { [equality.path]: equality.value, ...change };
  return withAdded(values, [added]);
}

/** One part of a value, or some of its parts. */
function readPart(attribute: Attribute, sub: Attribute | undefined, value: unknown, path: string): unknown {
  if (sub !== undefined) return readValue(sub, value, path);
  const subAttributes = attribute.subAttributes?.map((each) => ({ ...each, required: false })) ?? [];
  return readValue({ ...attribute, multiValued: false, subAttributes }, value, path);
}

/** Values that the list has already are updated. */
function withAdded(values: readonly Resource[], added: readonly Resource[]): readonly Resource[] {
  const byValue = new Map(values.map((each) => [keyOf(each), each]));
  for (const each of added) byValue.set(keyOf(each), { ...byValue.get(keyOf(each)), ...each });
  const keys = new Set(added.map(keyOf));
  const hasPrimary = added.some(({ primary }) => primary === true);
  return withOnePrimary([...byValue.values()], (each) => keys.has(keyOf(each)), { primary: hasPrimary });
}

/** A new primary value replaces the old one. */
function withOnePrimary(
  values: readonly Resource[],
  isChanged: (value: Resource) => boolean,
  { primary }: Resource,
): readonly Resource[] {
  if (primary !== true) return values;
  return values.map((each) =>
    each.primary === true && !isChanged(each) ? { ...each, primary: false } : each,
  );
}

/** Entra ID names the members to remove in the value of the operation. */
function without(values: readonly Resource[], removed: unknown): readonly Resource[] {
  const items: readonly unknown[] = Array.isArray(removed) ? removed : [removed];
  const keys = new Set(items.map((item) => (isObject(item) ? keyOf(item) : String(item))));
  return values.filter((each) => !keys.has(keyOf(each)));
}

function keyOf({ value }: Resource): string {
  return String(value);
}
