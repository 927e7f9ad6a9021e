import type { ErrorObject } from 'ajv';
import type { Issue } from '../../core/errors.ts';
import { pointerSegment } from '../../core/json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';

// The wording of validation issues. Ajv's own messages ("must NOT have additional properties")
// speak to the author of a schema; these speak to the client.

/**
 * One line for several issues: "/temperature must be at most 2; /messages is required; and 4 more".
 */
export function summarizeIssues(issues: readonly Issue[], isComplete: boolean): string {
  const shown = issues.slice(0, 3).map((issue) => `${issue.path} ${issue.message}`.trim());
  const hidden = issues.length - shown.length;
  return `${shown.join('; ')}${hidden > 0 ? `; and ${isComplete ? '' : 'at least '}${hidden} more` : ''}`;
}

/** Also used by the issue collector, which finds unknown fields without Ajv. */
export const unknownFieldMessage = 'is not a known field';

/** Turns a validation error at or below `path` into an issue that says what to change. */
export function issueFromError(error: ErrorObject, path: string): Issue {
  const field = error.params.missingProperty ?? error.params.additionalProperty ?? error.propertyName;
  const fieldPointer = field === undefined ? '' : pointerSegment(String(field));
  return { path: (path + error.instancePath + fieldPointer).toWellFormed(), message: describe(error) };
}

/** What a value may be: "must be a string, a list or null". */
export function describeAlternatives(forms: readonly JsonSchema[]): string {
  const fixed = forms.flatMap((form) => (form.const === undefined ? (form.enum ?? []) : [form.const]));
  const types = forms
    .filter((form) => form.const === undefined && form.enum === undefined)
    .flatMap((form) => form.type ?? []);
  const alternatives = [
    ...fixed.map((value) => JSON.stringify(value)),
    ...types.map((type) => typeNames[type] ?? type),
  ];
  return `must be ${list([...new Set(alternatives)])}`;
}

/** The distinct values as JSON, separated by commas. */
export function listValues(values: readonly unknown[]): string {
  return [...new Set(values)].map((value) => JSON.stringify(value)).join(', ');
}

/** The message for one Ajv error, by keyword. `x-must` on the schema takes precedence. */
function describe(error: ErrorObject): string {
  const limit: unknown = error.params.limit;
  const must = (error.parentSchema as JsonSchema | undefined)?.['x-must'];
  if (must !== undefined) return must;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return unknownFieldMessage;
    case 'type':
    case 'const':
    case 'enum':
      return describeAlternatives([error.parentSchema as JsonSchema]);
    case 'anyOf':
      return 'matches none of the allowed forms';
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
      return `must have at least ${count(limit, 'character')}`;
    case 'maxLength':
      return error.propertyName === undefined
        ? `must have at most ${count(limit, 'character')}`
        : `must be a key of at most ${count(limit, 'character')}`;
    case 'minProperties':
      return describeMinFields(limit, error.parentSchema as JsonSchema);
    case 'pattern':
      return error.message ?? 'is not valid';
    case 'minItems':
      return `must have at least ${count(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${count(limit, 'item')}`;
    case 'maxProperties':
      return `must have at most ${count(limit, 'key')}`;
    case 'format':
      return `must be a ${error.params.format === 'uuid' ? 'UUID' : error.params.format}`;
    default:
      return error.message ?? 'is not valid';
  }
}

/**
 * For a body in which every field is optional: "must have at least 1 of the fields name, status".
 */
function describeMinFields(limit: unknown, { properties }: JsonSchema): string {
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

/** "a, b or c" */
function list(alternatives: readonly string[]): string {
  if (alternatives.length < 2) return alternatives.join('');
  return `${alternatives.slice(0, -1).join(', ')} or ${alternatives.at(-1)}`;
}

/** "1 item", "2 items" */
function count(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`;
}
