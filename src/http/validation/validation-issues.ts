import { schemas } from '../../api/contract.ts';
import type { Issue } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { pointerSegment } from '../../core/json/json-pointer.ts';
import {
  describeAlternatives,
  fixedValues,
  issueFromError,
  listValues,
  type SchemaViolation,
  unknownFieldMessage,
} from '../../core/validation-messages.ts';
import { type JsonSchema, partition, tagNames, tagsOf } from './json-schema.ts';
import { findViolation } from './schema-check.ts';

/** People fix a few issues at a time, and a hostile body must not produce a huge response. */
export const issuesMax = 50;

/** Parts of a body to inspect. Inspecting a very large body in full would block the event loop. */
const partsMax = 20_000;

/** Schemas without their parts, by schema, so that each is created once. */
const ownRules = new WeakMap<JsonSchema, JsonSchema>();

/**
 * Finds all issues of an invalid value, for the error response.
 *
 * It walks schema and value together, field by field and item by item. Where the schema allows
 * several forms, it reports the issues of the form that the author most likely meant. The work is
 * proportional to the value and bounded by `partsMax`. At least one issue is always returned:
 * `firstViolation`, if the walk ends before it finds any.
 */
export function collectIssues(
  rootSchema: JsonSchema,
  rootValue: unknown,
  firstViolation: SchemaViolation,
): readonly Issue[] {
  const issues: Issue[] = [];
  let partsLeft = partsMax;
  const isDone = () => partsLeft < 0 || issues.length >= issuesMax;
  collect(rootSchema, rootValue, '');
  return issues.length > 0 ? issues : [issueFromError(firstViolation, '')];

  /** Adds the issues of a value at `path`. */
  function collect(schema: JsonSchema, value: unknown, path: string): void {
    partsLeft -= 1;
    if (isDone()) return;
    const referred = schema.$ref === undefined ? undefined : schemas[schema.$ref.replace(/#$/, '')];
    if (referred !== undefined) {
      collect(referred, value, path);
      return;
    }
    if (schema.anyOf !== undefined) {
      collectForms(schema, value, path);
      return;
    }
    const violation = findViolation(withoutParts(schema), value);
    if (violation !== undefined) issues.push(issueFromError(violation, path));
    if (Array.isArray(value)) collectItems(schema, value, path);
    else if (isJsonObject(value)) collectFields(schema, value, path);
  }

  function collectItems(schema: JsonSchema, items: readonly unknown[], path: string): void {
    if (schema.items === undefined) return;
    for (const [index, item] of items.entries()) {
      collect(schema.items, item, `${path}/${index}`);
      if (isDone()) return;
    }
  }

  function collectFields(schema: JsonSchema, value: JsonObject, path: string): void {
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
    for (const [name, part] of [...others, ...lists]) collect(part, value[name], `${path}/${name}`);
  }

  /** For `anyOf`: narrows the forms down by type and tag, and reports on the one that was meant. */
  function collectForms(schema: JsonSchema, value: unknown, path: string): void {
    const must = schema['x-must'];
    if (must !== undefined) {
      if (findViolation(schema, value) !== undefined) issues.push({ path, message: must });
      return;
    }
    const forms = flatten(schema);
    const fitting = forms.filter((form) => admitsType(form, value));
    const [first, ...others] = fitting;
    const tag = tagNames.find((name) => fitting.some((form) => tagsOf(form, name) !== undefined));
    if (first === undefined || fitting.every((form) => fixedValues(form) !== undefined)) {
      const isAllowed = fitting.some((form) => fixedValues(form)?.includes(value));
      if (!isAllowed) issues.push({ path, message: describeAlternatives(forms) });
    } else if (tag !== undefined && isJsonObject(value)) collectTagged(fitting, tag, value, path);
    // Without a tag, any form may be meant. One form's issues are easier to act on than all.
    else if (others.length === 0 || findViolation(schema, value) !== undefined) collect(first, value, path);
  }

  /** For tagged unions. An open union accepts any string as a tag: unknown ones are no issue. */
  function collectTagged(forms: readonly JsonSchema[], tag: string, value: JsonObject, path: string): void {
    const isPresent = Object.hasOwn(value, tag);
    const meant = isPresent
      ? forms.find((form) => tagsOf(form, tag)?.includes(value[tag]))
      : forms.find((form) => form.required?.includes(tag) !== true);
    if (meant !== undefined) {
      collect(meant, value, path);
      return;
    }
    const isOpen = forms.some((form) => form.properties?.[tag]?.not !== undefined);
    if (isOpen && typeof value[tag] === 'string') return;
    const allowed = forms.flatMap((form) => tagsOf(form, tag) ?? []);
    const correction = isOpen ? 'must be a string' : `must be one of ${listValues(allowed)}`;
    issues.push({ path: `${path}/${tag}`, message: isPresent ? correction : 'is required' });
  }
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
  const existing = ownRules.get(schema) ?? removeParts(schema);
  ownRules.set(schema, existing);
  return existing;
}

function removeParts(schema: JsonSchema): JsonSchema {
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
