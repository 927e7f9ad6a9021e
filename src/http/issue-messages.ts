import type { ErrorObject } from 'ajv';
import type { Issue } from '../core/errors.ts';
import { pointerTo } from '../core/json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';

/** "/temperature must be at most 2; /messages is required", and how many more there are. */
export function summarizeIssues(issues: readonly Issue[], isComplete: boolean): string {
  const shown = issues.slice(0, 3).map((issue) => `${issue.path} ${issue.message}`.trim());
  const hidden = issues.length - shown.length;
  return `${shown.join('; ')}${hidden > 0 ? `; and ${isComplete ? '' : 'at least '}${hidden} more` : ''}`;
}

export const unknownFieldMessage = 'is not a known field here';

/** What the validator found at or below the path, in words that say what to change. */
export function issueFromError(error: ErrorObject, path: string): Issue {
  const field = error.params.missingProperty ?? error.params.additionalProperty ?? error.propertyName;
  const place = field === undefined ? '' : pointerTo(String(field));
  return { path: (path + error.instancePath + place).toWellFormed(), message: describe(error) };
}

/** "must be a string, a list or null" */
export function describeAlternatives(forms: readonly JsonSchema[]): string {
  const fixed = forms.flatMap((form) => (form.const === undefined ? (form.enum ?? []) : [form.const]));
  const types = forms
    .filter((form) => form.const === undefined && form.enum === undefined)
    .flatMap((form) => form.type ?? []);
  const alternatives = [
    ...fixed.map((value) => JSON.stringify(value)),
    ...types.map((type) => names[type] ?? type),
  ];
  return `must be ${list([...new Set(alternatives)])}`;
}

export function listValues(values: readonly unknown[]): string {
  return [...new Set(values)].map((value) => JSON.stringify(value)).join(', ');
}

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
      return 'has none of the forms that are allowed here';
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
      return `must have at least ${count(limit, 'character')}`;
    case 'maxLength':
      return `${error.propertyName === undefined ? '' : 'is a key that '}must have at most ${count(limit, 'character')}`;
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

/** "must have at least 1 of the fields name, status" */
function describeMinFields(limit: unknown, { properties }: JsonSchema): string {
  if (properties === undefined) return `must have at least ${count(limit, 'field')}`;
  return `must have at least ${limit} of the fields ${Object.keys(properties).join(', ')}`;
}

const names: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function list(alternatives: readonly string[]): string {
  if (alternatives.length < 2) return alternatives.join('');
  return `${alternatives.slice(0, -1).join(', ')} or ${alternatives.at(-1)}`;
}

function count(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`;
}
