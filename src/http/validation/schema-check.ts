import { fullFormats } from 'ajv-formats/dist/formats.js';
import { schemas } from '../../api/contract.ts';
import { isJsonObject } from '../../core/json/json-object.ts';
import { pointerSegment } from '../../core/json/json-pointer.ts';
import { fixedValues, type SchemaViolation } from '../../core/validation-messages.ts';
import { type JsonSchema, partition, tagNames, tagsOf } from './json-schema.ts';

/**
 * Validates values by the JSON Schemas of the contract.
 *
 * A schema becomes a list of checks when the first value reaches it, and so does each of its parts.
 * A new process therefore holds no validators, and a request waits only for the parts of the schema
 * that it uses. Ajv, which generates code for a whole schema at once, took 435 ms for the first
 * capture of a messages request and 90 MB for all operations; `schema-check.test.ts` compares the
 * verdicts.
 */
type Check = (value: unknown) => SchemaViolation | undefined;

const checks = new WeakMap<JsonSchema, Check>();

/** The first violation; undefined if the value is valid. The time is linear in the value's size. */
export function findViolation(schema: JsonSchema, value: unknown): SchemaViolation | undefined {
  return checkOf(schema)(value);
}

function checkOf(schema: JsonSchema): Check {
  const check = checks.get(schema) ?? createCheck(schema);
  checks.set(schema, check);
  return check;
}

function createCheck(schema: JsonSchema): Check {
  let check: Check | undefined;
  return (value) => {
    check ??= inOrder(createRules(schema));
    return check(value);
  };
}

/** Most schemas have one rule or two, which need no loop. */
function inOrder([first = () => undefined, second, ...others]: readonly Check[]): Check {
  if (second === undefined) return first;
  const rest = inOrder([second, ...others]);
  return (value) => first(value) ?? rest(value);
}

function createRules(schema: JsonSchema): readonly Check[] {
  return Object.entries(keywords)
    .filter(([keyword]) => Object.hasOwn(schema, keyword))
    .flatMap(([, createRule]) => createRule(schema) ?? []);
}

/** The keywords that restrict values, in the order in which they are checked. */
const keywords: Readonly<Record<string, (schema: JsonSchema) => Check | undefined>> = {
  $ref: ({ $ref = '' }) => {
    const target = schemas[$ref.replace(/#$/, '')];
    if (target === undefined) throw new Error(`There is no schema ${$ref}.`);
    return checkOf(target);
  },
  type: (schema) => {
    const [first = () => false, ...others] = [schema.type ?? []]
      .flat()
      .flatMap((type) => typeTests[type] ?? []);
    const isOther = (value: unknown) => others.some((test) => test(value));
    return rule('type', schema, others.length === 0 ? first : (value) => first(value) || isOther(value));
  },
  const: (schema) => rule('const', schema, (value) => value === schema.const),
  enum: (schema) => {
    const values = new Set(schema.enum);
    return rule('enum', schema, (value) => values.has(value));
  },
  minimum: limitRule('minimum', isNumber, (value, limit) => value >= limit),
  maximum: limitRule('maximum', isNumber, (value, limit) => value <= limit),
  minLength: limitRule('minLength', isText, (text, limit) => codePoints(text, limit) >= limit),
  maxLength: limitRule(
    'maxLength',
    isText,
    (text, limit) => text.length <= limit || codePoints(text, limit) <= limit,
  ),
  pattern: (schema) => {
    const pattern = new RegExp(schema.pattern ?? '', 'u');
    return rule('pattern', schema, (value) => !isText(value) || pattern.test(value));
  },
  format: (schema) => {
    const test = formatTests[schema.format ?? ''];
    if (test === undefined) throw new Error(`The format ${schema.format} is not supported.`);
    return rule('format', schema, (value) => !isText(value) || test(value), {
      format: schema.format,
    });
  },
  not: (schema) => {
    const check = checkOf(schema.not ?? {});
    return rule('not', schema, (value) => check(value) !== undefined);
  },
  anyOf: formsRule,
  minItems: limitRule('minItems', Array.isArray, (items, limit) => items.length >= limit),
  maxItems: limitRule('maxItems', Array.isArray, (items, limit) => items.length <= limit),
  uniqueItems: uniqueItemsRule,
  items: ({ items = {} }) => {
    const checkItem = checkOf(items);
    return (value) => {
      if (!Array.isArray(value)) return undefined;
      for (let index = 0; index < value.length; index += 1) {
        const violation = checkItem(value[index]);
        if (violation !== undefined) return below(`/${index}`, violation);
      }
      return undefined;
    };
  },
  minProperties: limitRule(
    'minProperties',
    isJsonObject,
    (value, limit) => Object.keys(value).length >= limit,
  ),
  maxProperties: limitRule(
    'maxProperties',
    isJsonObject,
    (value, limit) => Object.keys(value).length <= limit,
  ),
  required: (schema) => {
    const { required = [] } = schema;
    return (value) => {
      if (!isJsonObject(value)) return undefined;
      for (const missingProperty of required)
        if (!Object.hasOwn(value, missingProperty))
          return violationOf('required', schema, { missingProperty });
      return undefined;
    };
  },
  propertyNames: ({ propertyNames = {} }) => {
    const checkName = checkOf(propertyNames);
    return fieldsRule((propertyName) => {
      const violation = checkName(propertyName);
      return violation && { ...violation, propertyName };
    });
  },
  additionalProperties: additionalFieldsRule,
  properties: ({ properties = {} }) => {
    const parts = new Map(Object.entries(properties).map(([name, part]) => [name, checkOf(part)]));
    return fieldsRule((name, value) => {
      const violation = parts.get(name)?.(value);
      return violation && below(pointerSegment(name), violation);
    });
  },
  patternProperties: ({ patternProperties = {} }) => {
    const parts = Object.entries(patternProperties).map(
      ([pattern, part]) => [new RegExp(pattern, 'u'), checkOf(part)] as const,
    );
    return fieldsRule((name, value) => {
      for (const [pattern, check] of parts) {
        const violation = pattern.test(name) ? check(value) : undefined;
        if (violation !== undefined) return below(pointerSegment(name), violation);
      }
      return undefined;
    });
  },
};

/** Keywords that only describe. Together with `keywords`, all that the contract may use. */
export const supportedKeywords: ReadonlySet<string> = new Set([
  ...Object.keys(keywords),
  ...['description', 'title', 'default', 'examples', 'x-must', 'x-pattern'],
]);

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isJsonObject,
  string: isText,
};

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

type TextTest = (text: string) => boolean;

const { date, 'date-time': dateTime } = fullFormats as {
  readonly date: { readonly validate: TextTest };
  readonly 'date-time': { readonly validate: TextTest };
};

const formatTests: Readonly<Record<string, TextTest>> = {
  date: date.validate,
  'date-time': dateTime.validate,
  // The format of ajv-formats also allows a `urn:uuid:` prefix, which PostgreSQL rejects.
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

function violationOf(
  keyword: string,
  parentSchema: JsonSchema,
  params: SchemaViolation['params'],
): SchemaViolation {
  return { instancePath: '', keyword, params, parentSchema };
}

/** The violation of a part, as one of the value that contains it. */
function below(path: string, violation: SchemaViolation): SchemaViolation {
  return { ...violation, instancePath: path + violation.instancePath };
}

function rule(
  keyword: keyof JsonSchema,
  schema: JsonSchema,
  isValid: (value: unknown) => boolean,
  params: SchemaViolation['params'] = { limit: schema[keyword] },
): Check {
  // Created once: a hostile body may contain a million values that fit none of many forms.
  const violation = violationOf(keyword, schema, params);
  return (value) => (isValid(value) ? undefined : violation);
}

type LimitKeyword = 'minimum' | 'maximum' | `${'min' | 'max'}${'Length' | 'Items' | 'Properties'}`;

/** A rule for values of one type; all others satisfy it. */
function limitRule<Value>(
  keyword: LimitKeyword,
  isSubject: (value: unknown) => value is Value,
  isWithin: (value: Value, limit: number) => boolean,
): (schema: JsonSchema) => Check {
  return (schema) => {
    const { [keyword]: limit = 0 } = schema;
    return rule(keyword, schema, (value) => !isSubject(value) || isWithin(value, limit));
  };
}

/**
 * The number of code points, which is what limits count. A code point takes one or two code units,
 * so a text of more than twice the limit is over it: counting the millions of a hostile text would
 * take memory.
 */
function codePoints(text: string, limit: number): number {
  return text.length > 2 * limit ? limit + 1 : [...text].length;
}

/** Only for lists of plain values, which are all that our schemas have. */
function uniqueItemsRule(schema: JsonSchema): Check {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const indexes = new Map<unknown, number>();
    for (const [i, item] of value.entries()) {
      const j = indexes.get(item);
      if (j !== undefined) return violationOf('uniqueItems', schema, { i, j });
      indexes.set(item, i);
    }
    return undefined;
  };
}

function fieldsRule(checkField: (name: string, value: unknown) => SchemaViolation | undefined): Check {
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    for (const name of Object.keys(value)) {
      const violation = checkField(name, value[name]);
      if (violation !== undefined) return violation;
    }
    return undefined;
  };
}

function additionalFieldsRule(schema: JsonSchema): Check | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  if (additionalProperties === true) return undefined;
  const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern, 'u'));
  const isKnown = (name: string) =>
    Object.hasOwn(properties, name) || patterns.some((pattern) => pattern.test(name));
  const check = typeof additionalProperties === 'object' ? checkOf(additionalProperties) : undefined;
  return fieldsRule((name, value) => {
    if (isKnown(name)) return undefined;
    if (check === undefined) return violationOf('additionalProperties', schema, { additionalProperty: name });
    const violation = check(value);
    return violation && below(pointerSegment(name), violation);
  });
}

function formsRule(schema: JsonSchema): Check {
  const candidatesFor = createFormPicker(schema.anyOf ?? []);
  const violation = violationOf('anyOf', schema, {});
  return (value) => {
    const candidates = candidatesFor(value);
    let last: SchemaViolation | undefined;
    for (const check of candidates) {
      last = check(value);
      if (last === undefined) return undefined;
    }
    return candidates.length === 1 ? last : violation;
  };
}

/**
 * Returns the checks of the forms that a value may have, by its tag: a form that requires another
 * tag cannot fit. Trying every form for each part of a hostile body of many small parts would take
 * half a minute.
 */
function createFormPicker(forms: readonly JsonSchema[]): (value: unknown) => readonly Check[] {
  const tag = tagNames.find((name) => forms.filter((form) => requiresTag(name, form)).length > 1);
  const [tagged, untagged] = partition(forms, (form) => tag !== undefined && requiresTag(tag, form));
  const others = untagged.map(checkOf);
  if (tag === undefined) return () => others;
  const byTag = new Map<unknown, readonly Check[]>();
  for (const form of tagged)
    for (const value of tagsOf(form, tag) ?? [])
      byTag.set(value, [checkOf(form), ...(byTag.get(value) ?? others)]);
  return (value) => (isJsonObject(value) && byTag.get(value[tag])) || others;
}

/** Whether the form accepts only objects with this tag, and fixes its value. */
function requiresTag(tag: string, form: JsonSchema): boolean {
  const isRequired = form.type === 'object' && form.required?.includes(tag) === true;
  return isRequired && fixedValues(form.properties?.[tag] ?? {}) !== undefined;
}
