import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { Issue } from '../../core/errors.ts';
import { pointerSegment } from '../../core/json-pointer.ts';
import {
  describeAlternatives,
  fixedValues,
  issueFromError,
  listValues,
  unknownFieldMessage,
} from '../../core/validation-messages.ts';
import { type JsonSchema, partition, tagNames, tagsOf } from './json-schema.ts';

/** People fix a few issues at a time, and a hostile body must not produce a huge response. */
export const issuesMax = 50;

/** Parts of a body to inspect. Inspecting a very large body in full would block the event loop. */
const partsMax = 20_000;

/**
 * Creates a function that finds all issues of an invalid value, for the error response.
 *
 * It walks schema and value together, field by field and item by item. Where the schema allows
 * several forms, it reports the issues of the form that the author most likely meant. The work is
 * proportional to the value and bounded by `partsMax`. Ajv's own `allErrors` would instead try
 * every part against every form.
 *
 * Each part gets its own small validator, compiled on first use and cached by schema object: that
 * takes a millisecond, while a whole request schema takes hundreds. At least one issue is always
 * returned if `firstError` is given, even if the walk ends early.
 */
export function createIssueCollector(
  ajv: Ajv,
  sharedSchemas: Readonly<Record<string, object>>,
): (schema: object, value: unknown, firstError: ErrorObject | undefined) => readonly Issue[] {
  const validators = new WeakMap<JsonSchema, ValidateFunction>();
  let partsLeft = partsMax;

  function validatorOf(schema: JsonSchema, compile: () => ValidateFunction): ValidateFunction {
    const validator = validators.get(schema) ?? compile();
    validators.set(schema, validator);
    return validator;
  }

  /** Adds the issues of a value at `path`. Stops when the budget or the list of issues is full. */
  function collect(schema: JsonSchema, value: unknown, path: string, issues: Issue[]): void {
    partsLeft -= 1;
    if (partsLeft < 0 || issues.length >= issuesMax) return;
    if (schema.anyOf !== undefined) {
      collectForms(schema, value, path, issues);
      return;
    }
    const isValid = validatorOf(schema, () => ajv.compile(withoutParts(schema)));
    const [error] = isValid(value) ? [] : (isValid.errors ?? []);
    if (error !== undefined) issues.push(issueFromError(error, path));
    if (Array.isArray(value)) collectItems(schema, value, path, issues);
    else if (isObject(value)) collectFields(schema, value, path, issues);
  }

  function collectItems(schema: JsonSchema, items: readonly unknown[], path: string, issues: Issue[]): void {
    if (schema.items === undefined) return;
    for (const [index, item] of items.entries()) {
      collect(schema.items, item, `${path}/${index}`, issues);
      if (partsLeft < 0 || issues.length >= issuesMax) return;
    }
  }

  function collectFields(
    schema: JsonSchema,
    value: Readonly<Record<string, unknown>>,
    path: string,
    issues: Issue[],
  ): void {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name)) issues.push({ path: `${path}/${name}`, message: 'is required' });
    }
    if (schema.additionalProperties === false && schema.patternProperties === undefined) {
      const unknown = Object.keys(value).filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
      for (const name of unknown.slice(0, issuesMax))
        issues.push({ path: path + pointerSegment(name), message: unknownFieldMessage });
    }
    // Lists come last: a long one may use up the budget.
    const present = Object.entries(schema.properties ?? {}).filter(([name]) => Object.hasOwn(value, name));
    const [lists, others] = partition(present, ([name]) => Array.isArray(value[name]));
    for (const [name, part] of [...others, ...lists]) collect(part, value[name], `${path}/${name}`, issues);
  }

  /** For `anyOf`: narrows the forms down by type and tag, and reports on the one that was meant. */
  function collectForms(schema: JsonSchema, value: unknown, path: string, issues: Issue[]): void {
    const must = schema['x-must'];
    if (must !== undefined) {
      if (!validatorOf(schema, () => ajv.compile(schema))(value)) issues.push({ path, message: must });
      return;
    }
    const forms = flatten(schema);
    const fitting = forms.filter((form) => admitsType(form, value));
    const [first, ...others] = fitting;
    const tag = tagNames.find((name) => fitting.some((form) => tagsOf(form, name) !== undefined));
    if (first === undefined || fitting.every((form) => fixedValues(form) !== undefined)) {
      const isAllowed = fitting.some((form) => fixedValues(form)?.includes(value));
      if (!isAllowed) issues.push({ path, message: describeAlternatives(forms) });
    } else if (tag !== undefined && isObject(value)) collectTagged(fitting, tag, value, path, issues);
    else if (others.length === 0) collect(first, value, path, issues);
    else {
      // Nothing distinguishes these forms, so the issues of the first are as good as any.
      const isValid = validatorOf(schema, () => ajv.compile(schema));
      if (!isValid(value)) collect(first, value, path, issues);
    }
  }

  /** For tagged unions. An open union accepts any string as a tag, so an unknown tag is not an issue. */
  function collectTagged(
    forms: readonly JsonSchema[],
    tag: string,
    value: Readonly<Record<string, unknown>>,
    path: string,
    issues: Issue[],
  ): void {
    const isPresent = Object.hasOwn(value, tag);
    const meant = isPresent
      ? forms.find((form) => tagsOf(form, tag)?.includes(value[tag]))
      : forms.find((form) => form.required?.includes(tag) !== true);
    if (meant !== undefined) {
      collect(meant, value, path, issues);
      return;
    }
    const isOpen = forms.some((form) => form.properties?.[tag]?.not !== undefined);
    if (isOpen && typeof value[tag] === 'string') return;
    const allowed = forms.flatMap((form) => tagsOf(form, tag) ?? []);
    const correction = isOpen ? 'must be a string' : `must be one of ${listValues(allowed)}`;
    issues.push({ path: `${path}/${tag}`, message: isPresent ? correction : 'is required' });
  }

  return (rootSchema, value, firstError) => {
    // TypeBox types its schemas more narrowly than the JSON they are.
    const schema = rootSchema as JsonSchema;
    const shared = schema.$ref === undefined ? undefined : sharedSchemas[schema.$ref.replace(/#$/, '')];
    const issues: Issue[] = [];
    partsLeft = partsMax;
    collect((shared as JsonSchema | undefined) ?? schema, value, '', issues);
    if (issues.length === 0 && firstError !== undefined) issues.push(issueFromError(firstError, ''));
    return issues;
  };
}

/**
 * One line for several issues: "/temperature must be at most 2; /messages is required; and 4 more".
 */
export function summarizeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, 3).map((issue) => `${issue.path} ${issue.message}`.trim());
  const hidden = issues.length - shown.length;
  const atLeast = issues.length < issuesMax ? '' : 'at least ';
  return `${shown.join('; ')}${hidden > 0 ? `; and ${atLeast}${hidden} more` : ''}`;
}

/** The rules about the value itself. Its fields and items are validated one by one. */
function withoutParts(schema: JsonSchema): JsonSchema {
  const { required: _required, items: _items, properties, ...others } = schema;
  const { additionalProperties, ...rest } = others;
  if (properties === undefined) return additionalProperties === undefined ? rest : others;
  return { ...rest, properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])) };
}

/** The alternatives of a schema, with nested `anyOf` flattened. */
function flatten(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(flatten);
}

/** Whether the form accepts values of this JSON type, such as any string. */
function admitsType(form: JsonSchema, value: unknown): boolean {
  const type = typeOf(value);
  const fixed = fixedValues(form);
  if (fixed !== undefined) return fixed.some((candidate) => typeOf(candidate) === type);
  const types = form.type === undefined ? [type] : [form.type].flat();
  return types.includes(type) || (type === 'number' && types.includes('integer'));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
