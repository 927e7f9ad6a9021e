import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { parsePointer } from '../core/json/json-pointer.ts';
import { Type } from '../core/type.ts';
import type { Path } from './parse-yaml.ts';

/**
 * Schemas of settings files and the messages for their violations. Two custom keywords serve the
 * messages: `x-rule` says what a value must be, and `x-secret` marks values that may contain a
 * secret and must not be quoted.
 */

export interface FileIssue {
  readonly path: Path;
  /** The rest of a sentence that begins with the path: "must be …". */
  readonly message: string;
}

/** Checks of strings by name, for the keyword `format`. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>;

export function text(pattern: string, rule: string, options: object = {}) {
  return Type.String({ pattern, 'x-rule': rule, ...options });
}

export function wholeNumber(minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return Type.Integer({ minimum, maximum, 'x-rule': rule });
}

export function oneOf<T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ enum: values, 'x-rule': `must be one of ${values.join(', ')}` });
}

/**
 * The name of the environment variable that holds a secret. Upper case only: secrets contain
 * lower-case letters, and one put here by mistake would be shown as the variable's name.
 */
export function secretVariable(example: string, noun: string) {
  return text(
    '^[A-Z_][A-Z0-9_]{0,127}$',
    `must be the name of an environment variable in capital letters, such as ${example}, not the ${noun} itself`,
    { 'x-secret': true },
  );
}

const compiled = new WeakMap<Type.TSchema, ValidateFunction>();

/**
 * Returns the validator of a schema, which the first call compiles. Files are read only at startup
 * and on reloads, so optimizing its code would take longer than it saves.
 */
export function compileFileSchema<Schema extends Type.TSchema>(
  schema: Schema,
  formats: Formats,
): ValidateFunction<Type.Static<Schema>> {
  const existing = compiled.get(schema);
  if (existing !== undefined) return existing as ValidateFunction<Type.Static<Schema>>;
  const ajv = new Ajv({ allErrors: true, verbose: true, formats, code: { optimize: false } });
  ajv.addVocabulary(['x-rule', 'x-secret']);
  const validate = ajv.compile<Type.Static<Schema>>(schema);
  compiled.set(schema, validate);
  return validate;
}

/** Turns a schema violation into a message that says what to change. */
export function toFileIssue(error: ErrorObject, file: unknown): FileIssue {
  const path = pathOf(error, file);
  const schema = error.parentSchema ?? {};
  if (error.keyword === 'additionalProperties')
    return { path, message: `is not a known key; use one of ${Object.keys(schema.properties).join(', ')}` };
  if (error.keyword === 'required') {
    const rule: unknown = schema.properties[error.params.missingProperty]['x-rule'];
    return { path, message: `is missing; it ${rule}` };
  }
  return { path, message: `${schema['x-rule']}${describeValue(error.data, schema['x-secret'] === true)}` };
}

/** Resolves a JSON pointer against the file, so that array indexes become numbers. */
function pathOf({ instancePath, params }: ErrorObject, file: unknown): Path {
  const path: (string | number)[] = [];
  let value = file;
  for (const key of parsePointer(instancePath)) {
    path.push(Array.isArray(value) ? Number(key) : key);
    value = isMap(value) ? value[key] : Array.isArray(value) ? value[Number(key)] : undefined;
  }
  const field: unknown = params.missingProperty ?? params.additionalProperty;
  return field === undefined ? path : [...path, String(field)];
}

/** Whether a value of a file is a map, which excludes lists and null. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Quotes the wrong value if it is short and cannot contain a secret. URLs may have one before an
 * `@` or after a question mark.
 */
function describeValue(value: unknown, isSecret: boolean): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return ', but is empty';
  if (typeof value === 'object') return '';
  const text = JSON.stringify(value);
  return isSecret || text.length > 80 || /[@?]/.test(text) ? '' : `, but is ${text}`;
}
