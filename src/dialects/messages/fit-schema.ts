import { isJsonObject, isSameJson, type JsonObject, omitNullish } from '../../core/json/json-object.ts';

interface FittedSchema {
  readonly schema: JsonObject;
  /** The keywords that were dropped somewhere in the schema, sorted. */
  readonly dropped: readonly string[];
}

/**
 * Brings a JSON schema into the form that Anthropic enforces in output formats and strict tools:
 * every object is closed, and there are few keywords. The others are dropped; the model finds them
 * in the description, as with Anthropic's SDKs. Returns undefined for a schema that has no such
 * form, for example because it is recursive.
 *
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export function fitSchema(schema: unknown): FittedSchema | undefined {
  if (!isJsonObject(schema) || !hasFiniteReferences(schema)) return undefined;
  const dropped = new Set<string>();
  const fitted = fitNode(schema, dropped);
  return fitted && { schema: fitted, dropped: [...dropped].toSorted() };
}

interface Losses {
  /** The lost keywords of one schema, without those inside it. */
  readonly own: Record<string, unknown>;
  /** The names of all lost keywords. */
  readonly all: Set<string>;
}

/** Returns undefined if the schema, or one inside it, cannot be expressed. */
function fitNode(given: unknown, dropped: Set<string>): JsonObject | undefined {
  if (!isJsonObject(given)) return undefined;
  const { $defs, definitions, title, description, default: preset, ...node } = withoutIdentity(unwrap(given));
  const maps = { $defs: fitMap($defs, dropped), definitions: fitMap(definitions, dropped) };
  const lost: Record<string, unknown> = {};
  const fitted = fitBody(node, { own: lost, all: dropped });
  if (fitted === undefined || Object.values(maps).includes(null)) return undefined;
  const annotations = omitNullish({ title, description, default: preset });
  const isReference = Object.hasOwn(fitted, '$ref');
  for (const name of Object.keys(isReference ? { ...lost, ...annotations } : lost)) dropped.add(name);
  // Anthropic's SDKs leave nothing next to a reference.
  if (isReference) return { ...omitNullish(maps), ...fitted };
  return noteLosses({ ...omitNullish(maps), ...fitted, ...annotations }, lost);
}

/** Adds keywords that Anthropic does not enforce to the description, where the model sees them. */
export function noteLosses(schema: JsonObject, lost: JsonObject): JsonObject {
  if (Object.keys(lost).length === 0) return schema;
  const { description } = schema;
  const note = JSON.stringify(lost);
  return { ...schema, description: typeof description === 'string' ? `${description}\n\n${note}` : note };
}

/** `allOf` with one schema is a way to describe a reference. */
function unwrap(node: JsonObject): JsonObject {
  const { allOf, ...rest } = node;
  const [only, ...others] = toList(allOf);
  if (!isJsonObject(only) || others.length > 0) return node;
  return Object.keys(only).some((name) => Object.hasOwn(rest, name)) ? node : { ...only, ...rest };
}

/** Without what a schema says about itself, not about values. */
function withoutIdentity({ $schema, $id, $comment, discriminator, ...node }: JsonObject): JsonObject {
  return node;
}

/** Undefined if there is no map, null if one of its schemas cannot be expressed. */
function fitMap(map: unknown, dropped: Set<string>): JsonObject | null | undefined {
  if (!isJsonObject(map)) return undefined;
  const entries = Object.entries(map).map(([name, node]) => [name, fitNode(node, dropped)] as const);
  return entries.some(([, node]) => node === undefined) ? null : Object.fromEntries(entries);
}

function fitBody(node: JsonObject, losses: Losses): JsonObject | undefined {
  const { $ref, ...rest } = node;
  if ($ref !== undefined) {
    Object.assign(losses.own, rest);
    return typeof $ref === 'string' ? { $ref } : undefined;
  }
  // The objects of an `allOf` would all be closed, so no value could match two of them.
  if (node.allOf !== undefined) return undefined;
  const { anyOf, oneOf, ...others } = node;
  if (anyOf !== undefined && oneOf !== undefined) losses.own.oneOf = oneOf;
  const name = anyOf === undefined ? 'oneOf' : 'anyOf';
  return node[name] === undefined ? fitTyped(node, losses) : fitUnion(name, node[name], others, losses);
}

/** A type next to a union applies to all its variants. Shared properties have no counterpart. */
function fitUnion(name: string, union: unknown, node: JsonObject, losses: Losses): JsonObject | undefined {
  if (node.properties !== undefined) {
    losses.own[name] = union;
    return fitTyped(node, losses);
  }
  const { type, ...others } = node;
  Object.assign(losses.own, others);
  const variants = toList(union).map((variant) =>
    isJsonObject(variant) && type !== undefined ? { type, ...variant } : variant,
  );
  const isWider = variants.some((each) => isJsonObject(each) && !isSameJson(each.type, type));
  if (type !== undefined && isWider) losses.own.type = type;
  const fitted = variants.map((variant) => fitNode(variant, losses.all));
  return fitted.length === 0 || fitted.includes(undefined) ? undefined : { anyOf: fitted };
}

function fitTyped(node: JsonObject, losses: Losses): JsonObject | undefined {
  const { type, enum: values, const: constant, ...rest } = node;
  const types = typesOf(type, rest);
  const literals = fitLiterals(values, constant, types);
  const known = literals === undefined ? types.flatMap((each) => keywordsOf[each] ?? []) : [];
  for (const name of Object.keys(rest)) if (!known.includes(name)) losses.own[name] = rest[name];
  if (literals !== undefined) return literals;
  if (values !== undefined) losses.own.enum = values;
  if (constant !== undefined) losses.own.const = constant;
  const variants = types.map((each) => fitKeywords(each, rest, losses)).filter((each) => each !== undefined);
  if (variants.length < types.length) return undefined;
  if (variants.length <= 1) return variants[0];
  // A list of types has no keywords, since each belongs to one of them.
  const isPlain = variants.every((variant) => Object.keys(variant).length === 1);
  return isPlain ? { type: types } : { anyOf: variants };
}

/** Anthropic requires a type, which JSON Schema does not. Empty if there is none that is valid. */
function typesOf(type: unknown, { properties, items }: JsonObject): readonly string[] {
  if (type === undefined) return properties !== undefined ? ['object'] : items !== undefined ? ['array'] : [];
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const valid = types
    .filter((each) => typeof each === 'string')
    .filter((each) => Object.hasOwn(keywordsOf, each));
  return valid.length === types.length ? valid : [];
}

/** The supported keywords of each type. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems'],
  string: ['format'],
  number: [],
  integer: [],
  boolean: [],
  null: [],
};

/**
 * Anthropic rejects an enum with a value of another type, and next to a list of types. Without a
 * type, the values say it all. Returns undefined if there are none, or others than primitive ones.
 */
function fitLiterals(values: unknown, constant: unknown, types: readonly string[]): JsonObject | undefined {
  const given = constant === undefined ? toList(values) : [constant];
  const accepted = given.filter((value) => types.length === 0 || types.some((type) => isOfType(value, type)));
  const isPrimitive = accepted.every((value) => typeof value !== 'object' || value === null);
  if (accepted.length === 0 || !isPrimitive) return undefined;
  return {
    ...(types.length === 1 && { type: types[0] }),
    ...(constant === undefined ? { enum: accepted } : { const: constant }),
  };
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === (value === null ? 'null' : typeof value);
}

function fitKeywords(type: string, node: JsonObject, losses: Losses): JsonObject | undefined {
  if (type === 'object') return fitObject(node, losses);
  if (type === 'array') return fitArray(node, losses);
  if (type !== 'string' || node.format === undefined) return { type };
  if (formats.has(node.format)) return { type, format: node.format };
  losses.own.format = node.format;
  return { type };
}

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** An object that may have any properties is left with none, which is a loss. */
function fitObject(node: JsonObject, losses: Losses): JsonObject | undefined {
  const { required: given, additionalProperties: more } = node;
  const properties = fitMap(node.properties ?? {}, losses.all);
  if (!isJsonObject(properties)) return undefined;
  const isOpen = more === undefined ? Object.keys(properties).length === 0 : more !== false;
  if (isOpen) losses.own.additionalProperties = more ?? true;
  const required = toList(given).filter((name) => Object.hasOwn(properties, String(name)));
  if (required.length < toList(given).length) losses.own.required = given;
  return {
    type: 'object',
    properties,
    ...(given !== undefined && { required }),
    additionalProperties: false,
  };
}

/** Items of any kind need no schema. */
function fitArray({ items: given, minItems }: JsonObject, losses: Losses): JsonObject | undefined {
  const isAny = given === true || (isJsonObject(given) && Object.keys(given).length === 0);
  const items = isAny ? undefined : fitNode(given, losses.all);
  if (given !== undefined && !isAny && items === undefined) return undefined;
  const isSupported = minItems === 0 || minItems === 1;
  if (minItems !== undefined && !isSupported) losses.own.minItems = minItems;
  return { type: 'array', ...(items !== undefined && { items }), ...(isSupported && { minItems }) };
}

/** Whether all references are to definitions of the schema, and none leads back to itself. */
function hasFiniteReferences(schema: JsonObject): boolean {
  const finished = new Set<string>();
  const open = new Set<string>();
  return visit(schema);

  function visit(value: unknown): boolean {
    if (Array.isArray(value)) return value.every(visit);
    if (!isJsonObject(value)) return true;
    if (typeof value.$ref === 'string' && !follow(value.$ref)) return false;
    return Object.values(value).every(visit);
  }

  function follow(reference: string): boolean {
    if (finished.has(reference)) return true;
    const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    const definitions = place === undefined ? undefined : schema[place];
    if (open.has(reference) || name === undefined || !isJsonObject(definitions)) return false;
    open.add(reference);
    const hasEnd = Object.hasOwn(definitions, name) && visit(definitions[name]);
    open.delete(reference);
    finished.add(reference);
    return hasEnd;
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
