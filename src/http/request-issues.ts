import type { ErrorObject } from 'ajv';
import type { Issue } from '../core/errors.ts';

/**
 * Says what is wrong in words that name the thing to change. Where a value may have several forms, the validator
 * complains about every form; only the complaints about the form that the caller seems to mean are kept.
 */
export function describeIssues(errors: readonly ErrorObject[]): readonly Issue[] {
  const issues = explain(errors).map(toIssue);
  return issues.filter((issue, index) => issues.findIndex((other) => isSame(issue, other)) === index);
}

/** "/temperature must be at most 2; /messages is required", and how many more there are. */
export function summarizeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, 3).map((issue) => `${issue.path} ${issue.message}`.trim());
  const hidden = issues.length - shown.length;
  return `${shown.join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''}`;
}

function explain(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const [union] = errors
    .filter((error) => error.keyword === 'anyOf')
    .sort(
      (a, b) => a.schemaPath.length - b.schemaPath.length || a.instancePath.length - b.instancePath.length,
    );
  if (union === undefined) return errors;
  const inside = errors.filter((error) => error !== union && isInside(error, union));
  const outside = errors.filter((error) => error !== union && !isInside(error, union));
  return [...explainUnion(union, inside), ...explain(outside)];
}

function explainUnion(union: ErrorObject, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const forms = (union.schema as readonly unknown[]).map((_, index) =>
    errors.filter((error) => error.schemaPath.startsWith(`${union.schemaPath}/${index}/`)),
  );
  const [meant] = forms
    .filter((form) => form.length > 0 && !form.some((error) => isOtherForm(error, union)))
    .sort((a, b) => a.length - b.length);
  if (meant !== undefined) return explain(meant);
  const tags = errors.filter((error) => isTag(error, union));
  const [tag] = tags;
  if (tag === undefined) return [union];
  const allowed = tags.flatMap((error) => (error.keyword === 'const' ? [error.schema] : error.schema));
  return [{ ...tag, keyword: 'enum', schema: [...new Set(allowed)] }];
}

/** The complaint means that the caller wrote another form, not this one badly. */
function isOtherForm(error: ErrorObject, union: ErrorObject): boolean {
  const isWholeValue = error.instancePath === union.instancePath;
  return (isWholeValue && ['type', 'const', 'enum'].includes(error.keyword)) || isTag(error, union, 'not');
}

/** A tag is the field that names the form, such as the role of a message. */
function isTag(error: ErrorObject, union: ErrorObject, ...furtherKeywords: readonly string[]): boolean {
  const isField = /^\/(type|role|id)$/.test(error.instancePath.slice(union.instancePath.length));
  return isField && ['const', 'enum', ...furtherKeywords].includes(error.keyword);
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  return (
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`))
  );
}

function isSame(a: Issue, b: Issue): boolean {
  return a.path === b.path && a.message === b.message;
}

function toIssue(error: ErrorObject): Issue {
  const path = (error.instancePath + fieldOf(error)).toWellFormed();
  return { path, message: describe(error) };
}

function fieldOf(error: ErrorObject): string {
  const field = error.params.missingProperty ?? error.params.additionalProperty;
  return field === undefined ? '' : `/${String(field).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function describe(error: ErrorObject): string {
  const subject = error.propertyName === undefined ? '' : `has a key that `;
  const limit = error.params.limit;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field here';
    case 'type':
      return `must be ${forms([error.params.type].flat().map(String))}`;
    case 'const':
      return `must be ${JSON.stringify(error.schema)}`;
    case 'enum':
      return `must be one of ${(error.schema as readonly unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'anyOf':
      return `must be ${forms((error.schema as readonly FormSchema[]).map(nameOfForm))}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
      return `must have at least ${count(limit, 'character')}`;
    case 'maxLength':
      return `${subject}must have at most ${count(limit, 'character')}`;
    case 'minItems':
      return `must have at least ${count(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${count(limit, 'item')}`;
    case 'maxProperties':
      return `must have at most ${count(limit, 'key')}`;
    default:
      return error.message ?? 'is not valid';
  }
}

interface FormSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

function nameOfForm(form: FormSchema): string {
  if (form.const !== undefined) return JSON.stringify(form.const);
  if (form.enum !== undefined) return form.enum.map((value) => JSON.stringify(value)).join(', ');
  return [form.type ?? 'something else'].flat().join(' or ');
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

function forms(types: readonly string[]): string {
  const named = [...new Set(types.map((type) => names[type] ?? type))];
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`;
}

function count(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`;
}
