/**
 * The wording of validation issues. Ajv's own messages ("must NOT have additional properties")
 * speak to the author of a schema; these speak to the client.
 */

import type { Issue } from './errors.ts';
import { pointerSegment } from './json/json-pointer.ts';

/** The parts of a JSON Schema that messages mention. */
interface DescribedSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: object;
  /** The message for any invalid value, when the keywords alone would make a poor one. */
  readonly 'x-must'?: string;
}

/** The first rule of a schema that a value violates, in the shape of Ajv's errors. */
export interface SchemaViolation {
  /** JSON pointer to the invalid part of the value. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set if the name of a field is invalid. */
  readonly propertyName?: string;
  readonly parentSchema?: object;
  readonly message?: string;
}

export const unknownFieldMessage = 'is not a known field';

/** Turns a validation error at or below `path` into an issue that says what to change. */
export function issueFromError(error: SchemaViolation, path: string): Issue {
  const field = error.params.missingProperty ?? error.params.additionalProperty ?? error.propertyName;
  const fieldPointer = field === undefined ? '' : pointerSegment(String(field));
  return { path: (path + error.instancePath + fieldPointer).toWellFormed(), message: describe(error) };
}

/** Describes the allowed forms of a value: "must be a string, a list or null". */
export function describeAlternatives(forms: readonly DescribedSchema[]): string {
  const fixed = forms.flatMap((form) => fixedValues(form) ?? []);
  const types = forms.filter((form) => fixedValues(form) === undefined).flatMap((form) => form.type ?? []);
  const alternatives = [
    ...fixed.map((value) => JSON.stringify(value)),
    ...types.map((type) => typeNames[type] ?? type),
  ];
  return `must be ${list([...new Set(alternatives)])}`;
}

/** Describes the form of a value: "a list". */
export function describeType(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  const type = Array.isArray(value) ? 'array' : typeof value;
  return typeNames[value === null ? 'null' : type] ?? type;
}

/** The distinct values as JSON, separated by commas. */
export function listValues(values: readonly unknown[]): string {
  return [...new Set(values)].map((value) => JSON.stringify(value)).join(', ');
}

/** The message for one violation, by keyword. `x-must` on the schema takes precedence. */
function describe(error: SchemaViolation): string {
  const limit: unknown = error.params.limit;
  const must = (error.parentSchema as DescribedSchema | undefined)?.['x-must'];
  if (must !== undefined) return must;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return unknownFieldMessage;
    case 'type':
    case 'const':
    case 'enum':
      return describeAlternatives([error.parentSchema as DescribedSchema]);
    case 'anyOf':
      return 'matches none of the allowed forms';
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${error.params.multipleOf}`;
    case 'minLength':
      return `must have at least ${count(limit, 'character')}`;
    case 'maxLength':
      return error.propertyName === undefined
        ? `must have at most ${count(limit, 'character')}`
        : `must be a key of at most ${count(limit, 'character')}`;
    case 'minProperties':
      return describeMinFields(limit, error.parentSchema as DescribedSchema);
    case 'pattern':
      return error.message ?? 'is not valid';
    case 'minItems':
      return `must have at least ${count(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${count(limit, 'item')}`;
    case 'uniqueItems':
      return `must not repeat an item; items ${error.params.j} and ${error.params.i} are the same`;
    case 'maxProperties':
      return `must have at most ${count(limit, 'key')}`;
    case 'format':
      return `must be ${formatNames[String(error.params.format)] ?? `a ${error.params.format}`}`;
    default:
      return error.message ?? 'is not valid';
  }
}

/**
 * For a body in which every field is optional: "must have at least 1 of the fields name, status".
 */
function describeMinFields(limit: unknown, { properties }: DescribedSchema): string {
  if (properties === undefined) return `must have at least ${count(limit, 'field')}`;
  return `must have at least ${limit} of the fields ${Object.keys(properties).join(', ')}`;
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const formatNames: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-01-31',
  email: 'an email address',
  uri: 'a URI',
  uuid: 'a UUID',
};

/** "a, b or c" */
function list(alternatives: readonly string[]): string {
  if (alternatives.length < 2) return alternatives.join('');
  return `${alternatives.slice(0, -1).join(', ')} or ${alternatives.at(-1)}`;
}

/** "1 item", "2 items" */
function count(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`;
}

/** The values of `const` or `enum`; undefined if the schema has neither. */
export function fixedValues(form: DescribedSchema): readonly unknown[] | undefined {
  return form.const === undefined ? form.enum : [form.const];
}
