import type { ErrorObject } from 'ajv';
import { isJsonObject } from '../../dialects/json-object.ts';
import type { Path } from './parse-yaml.ts';

export interface FileIssue {
  readonly path: Path;
  /** Continues the path: "must be …". */
  readonly message: string;
}

/** What the schema of the file found, in words that say what to change. */
export function toFileIssue(error: ErrorObject, file: unknown): FileIssue {
  const path = pathOf(error, file);
  const schema = error.parentSchema ?? {};
  if (error.keyword === 'additionalProperties')
    return { path, message: `is not known here; known are ${Object.keys(schema.properties).join(', ')}` };
  if (error.keyword === 'required') {
    const must: unknown = schema.properties[error.params.missingProperty]['x-must'];
    return { path, message: `is missing, and ${must}` };
  }
  return { path, message: `${schema['x-must']}${shown(error.data, schema['x-hidden'] === true)}` };
}

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

/** The wrong value, where it is short and no secret; a URL has those before an @ and after a question mark. */
function shown(value: unknown, isHidden: boolean): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return ', and is empty';
  if (typeof value === 'object') return '';
  const text = JSON.stringify(value);
  return isHidden || text.length > 80 || /[@?]/.test(text) ? '' : `, and is ${text}`;
}
