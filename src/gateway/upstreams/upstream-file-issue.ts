import type { ErrorObject } from 'ajv';
import { isJsonObject } from '../../dialects/json-object.ts';
import type { Path } from './parse-yaml.ts';

export interface FileIssue {
  readonly path: Path;
  /** The rest of a sentence that begins with the path: "must be …". */
  readonly message: string;
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
  for (const step of instancePath.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(key) : key);
    value = Array.isArray(value) ? value[Number(key)] : isJsonObject(value) ? value[key] : undefined;
  }
  const field: unknown = params.missingProperty ?? params.additionalProperty;
  return field === undefined ? path : [...path, String(field)];
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
