import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { Issue } from '../core/errors.ts';
import { pointerTo } from '../core/json-pointer.ts';
import { describeAlternatives, issueFromError, listValues, unknownFieldMessage } from './issue-messages.ts';
import type { JsonSchema } from './json-schema.ts';
import { fixedValues, partition, tagNames, tagsOf } from './tagged-unions.ts';

/** A person mends a few at a time, and a hostile body must not make a long answer. */
export const issuesMax = 50;

/** Looking closely at a very long body would hold up everybody else. */
const partsMax = 20_000;

/**
 * Lists the problems of a value field by field and item by item, and where a value may have several forms, those of
 * the form that its writer seems to mean. The work is bounded by the value; that of a validator told to report
 * everything at once is multiplied by the forms each part could have had. Validators are compiled for single parts
 * and when first needed, which takes a millisecond where a whole schema takes a good part of a second.
 */
export function createIssueCollector(
  ajv: Ajv,
  sharedSchemas: Readonly<Record<string, object>>,
): (schema: object, value: unknown, firstError: ErrorObject | undefined) => readonly Issue[] {
  const validators = new WeakMap<JsonSchema, ValidateFunction>();
  let partsLeft = partsMax;

  function validatorOf(schema: JsonSchema, compile: () => ValidateFunction): ValidateFunction {
    const known = validators.get(schema) ?? compile();
    validators.set(schema, known);
    return known;
  }

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
        issues.push({ path: path + pointerTo(name), message: unknownFieldMessage });
    }
    // Lists last: they may be too long to be looked through.
    const given = Object.entries(schema.properties ?? {}).filter(([name]) => Object.hasOwn(value, name));
    const [lists, others] = partition(given, ([name]) => Array.isArray(value[name]));
    for (const [name, part] of [...others, ...lists]) collect(part, value[name], `${path}/${name}`, issues);
  }

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
      // Forms of one type that nothing tells apart: what is wrong with the first is as good as any.
      const isValid = validatorOf(schema, () => ajv.compile(schema));
      if (!isValid(value)) collect(first, value, path, issues);
    }
  }

  function collectTagged(
    forms: readonly JsonSchema[],
    tag: string,
    value: Readonly<Record<string, unknown>>,
    path: string,
    issues: Issue[],
  ): void {
    const isGiven = Object.hasOwn(value, tag);
    const meant = isGiven
      ? forms.find((form) => tagsOf(form, tag)?.includes(value[tag]))
      : forms.find((form) => form.required?.includes(tag) !== true);
    if (meant !== undefined) {
      collect(meant, value, path, issues);
      return;
    }
    const isOpen = forms.some((form) => form.properties?.[tag]?.not !== undefined);
    if (isOpen && typeof value[tag] === 'string') return;
    const allowed = forms.flatMap((form) => tagsOf(form, tag) ?? []);
    const mend = isOpen ? 'must be a string' : `must be one of ${listValues(allowed)}`;
    issues.push({ path: `${path}/${tag}`, message: isGiven ? mend : 'is required' });
  }

  return (given, value, firstError) => {
    // Schemas are JSON; TypeBox's types for them are narrower than what is looked at here.
    const schema = given as JsonSchema;
    const shared = schema.$ref === undefined ? undefined : sharedSchemas[schema.$ref.replace(/#$/, '')];
    const issues: Issue[] = [];
    partsLeft = partsMax;
    collect((shared as JsonSchema | undefined) ?? schema, value, '', issues);
    if (issues.length === 0 && firstError !== undefined) issues.push(issueFromError(firstError, ''));
    return issues;
  };
}

/** What remains is about the value itself; its fields and items are looked at one by one. */
function withoutParts(schema: JsonSchema): JsonSchema {
  const { required: _required, items: _items, properties, ...others } = schema;
  const { additionalProperties, ...rest } = others;
  if (properties === undefined) return additionalProperties === undefined ? rest : others;
  return { ...rest, properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])) };
}

function flatten(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(flatten);
}

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
