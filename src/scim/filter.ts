import { type Compare, type Filter, parse } from 'scim2-parse-filter';
import { nameKey } from '../core/text/name.ts';
import { isObject, type Resource } from './read-resource.ts';
import { type Attribute, type AttributePath, findAttribute, resolvePath, type Schema } from './schema.ts';
import { ScimError } from './scim-error.ts';

/** Bounds the work for each resource, and the recursion of the parser. */
const filterLengthMax = 2_000;

type Test = (resource: Resource) => boolean;

/** `attribute eq "value"`, which an index may answer. */
export interface Equality {
  /** The path with the names of the schema, such as `emails.value`. */
  readonly path: string;
  readonly value: string | boolean;
}

export interface ParsedFilter {
  readonly matches: Test;
  /** Undefined if the filter is anything else. */
  readonly equality: Equality | undefined;
}

/** Throws `invalidFilter` for a filter that is malformed or names an unknown attribute. */
export function parseFilter(schema: Schema, text: string): ParsedFilter {
  return parseWith((path) => resolvePath(schema, path), text);
}

/** A filter inside brackets, for the values of a complex attribute. */
export function parseValueFilter(attribute: Attribute, text: string): ParsedFilter {
  return parseWith(resolveWithin(attribute), text);
}

function parseWith(resolve: Resolve, text: string): ParsedFilter {
  const filter = parseText(text);
  return { matches: compile(filter, resolve), equality: equalityOf(filter, resolve) };
}

type Resolve = (path: string) => AttributePath | undefined;

function resolveWithin({ subAttributes = [] }: Attribute): Resolve {
  return (path) => {
    const attribute = findAttribute(subAttributes, path);
    return attribute && { attribute, sub: undefined };
  };
}

function parseText(text: string): Filter {
  if (text.length > filterLengthMax) throw invalid(`has more than ${filterLengthMax} characters`);
  try {
    return parse(text);
  } catch (error) {
    throw invalid(`cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function equalityOf(filter: Filter, resolve: Resolve): Equality | undefined {
  if (filter.op !== 'eq') return undefined;
  const { attrPath, compValue: value } = filter;
  if (typeof value !== 'string' && typeof value !== 'boolean') return undefined;
  const { attribute, sub } = target(attrPath, resolve);
  return { path: sub === undefined ? attribute.name : `${attribute.name}.${sub.name}`, value };
}

/** Attributes are resolved once, so that a filter is rejected even if there is nothing to test. */
function compile(filter: Filter, resolve: Resolve): Test {
  switch (filter.op) {
    case 'and': {
      const tests = filter.filters.map((each) => compile(each, resolve));
      return (resource) => tests.every((test) => test(resource));
    }
    case 'or': {
      const tests = filter.filters.map((each) => compile(each, resolve));
      return (resource) => tests.some((test) => test(resource));
    }
    case 'not': {
      const test = compile(filter.filter, resolve);
      return (resource) => !test(resource);
    }
    case '[]': {
      const found = resolve(filter.attrPath)?.attribute;
      if (found?.type !== 'complex') throw invalid(`names ${filter.attrPath}, which has no parts`);
      const test = compile(filter.valFilter, resolveWithin(found));
      return (resource) => listOf(resource[found.name]).some((value) => isObject(value) && test(value));
    }
    case 'pr': {
      const path = target(filter.attrPath, resolve, true);
      return (resource) => valuesAt(resource, path).length > 0;
    }
    default:
      return compileComparison(filter, target(filter.attrPath, resolve));
  }
}

/** A complex attribute without a part stands for its `value`. */
function target(path: string, resolve: Resolve, isPresence = false): AttributePath {
  const found = resolve(path);
  if (found === undefined) throw invalid(`names ${path}, which is not an attribute`);
  const { attribute, sub } = found;
  if (isPresence || sub !== undefined || attribute.type !== 'complex') return found;
  const value = findAttribute(attribute.subAttributes ?? [], 'value');
  if (value === undefined) throw invalid(`compares ${path}; name one of its parts`);
  return { attribute, sub: value };
}

function compileComparison({ op, compValue }: Compare, path: AttributePath): Test {
  const { type, caseExact, name } = path.sub ?? path.attribute;
  if (compValue === null) {
    if (op !== 'eq' && op !== 'ne') throw invalid(`cannot compare ${name} with null by ${op}`);
    return (resource) => (valuesAt(resource, path).length === 0) === (op === 'eq');
  }
  if (type === 'boolean' && op !== 'eq' && op !== 'ne')
    throw invalid(`cannot compare ${name}, which is true or false, by ${op}`);
  const isText = type !== 'boolean' && type !== 'dateTime';
  const normal = (value: unknown) => {
    if (type === 'dateTime') return Date.parse(String(value));
    const text = String(value);
    return isText && caseExact ? text : nameKey(text);
  };
  const expected = normal(compValue);
  const test = comparisons[op];
  if (op === 'ne') return (resource) => !valuesAt(resource, path).some((value) => normal(value) === expected);
  return (resource) => valuesAt(resource, path).some((value) => test(normal(value), expected));
}

type Comparable = string | number;

const comparisons: Readonly<Record<Compare['op'], (value: Comparable, expected: Comparable) => boolean>> = {
  eq: (value, expected) => value === expected,
  ne: (value, expected) => value !== expected,
  co: (value, expected) => String(value).includes(String(expected)),
  sw: (value, expected) => String(value).startsWith(String(expected)),
  ew: (value, expected) => String(value).endsWith(String(expected)),
  gt: (value, expected) => value > expected,
  ge: (value, expected) => value >= expected,
  lt: (value, expected) => value < expected,
  le: (value, expected) => value <= expected,
};

/** All values at a path that are present. */
function valuesAt(resource: Resource, { attribute, sub }: AttributePath): readonly unknown[] {
  const values = listOf(resource[attribute.name]);
  if (sub === undefined) return values;
  return values.flatMap((value) => (isObject(value) ? listOf(value[sub.name]) : []));
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

function invalid(problem: string): ScimError {
  return new ScimError('invalidFilter', `The filter ${problem}.`);
}
