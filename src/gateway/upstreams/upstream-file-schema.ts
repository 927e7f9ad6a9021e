import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type Static, Type } from 'typebox';
import { parsePointer } from '../../core/json-pointer.ts';
import { dialects } from '../../core/presets/preset.ts';
import { isJsonObject } from '../../dialects/json-object.ts';
import { endpoints } from './endpoint.ts';
import type { Path } from './parse-yaml.ts';
import { baseUrlRule, isBaseUrl, upstreamKinds } from './upstream.ts';

const dayMs = 86_400_000;

// Two custom keywords serve error messages: `x-rule` says what a value must be, and `x-secret`
// marks values that may contain a secret and must not be quoted.

const timeouts = Type.Object(
  {
    connect_ms: Type.Optional(wholeNumber(1, dayMs)),
    first_byte_ms: Type.Optional(wholeNumber(1, dayMs)),
    idle_ms: Type.Optional(wholeNumber(1, dayMs)),
    total_ms: Type.Optional(wholeNumber(1, dayMs)),
  },
  {
    additionalProperties: false,
    'x-rule': 'must be a map of connect_ms, first_byte_ms, idle_ms and total_ms, each optional',
  },
);

const upstream = Type.Object(
  {
    name: text('^[a-z0-9_-]{1,63}$', 'must be 1 to 63 characters of a-z, 0-9, - and _'),
    kind: oneOf(upstreamKinds),
    base_url: Type.Optional(Type.String({ format: 'base-url', 'x-rule': baseUrlRule })),
    dialects: Type.Optional(
      Type.Array(oneOf(dialects), {
        minItems: 1,
        uniqueItems: true,
        'x-rule': `must be a list of one or more of ${dialects.join(', ')}, without duplicates`,
      }),
    ),
    endpoints: Type.Optional(
      Type.Array(oneOf(endpoints), {
        uniqueItems: true,
        'x-rule': `must be a list of ${endpoints.join(', ')}, without duplicates, or an empty list`,
      }),
    ),
    // Upper case only: API keys contain lower-case letters, and a key put here by mistake would be
    // shown to clients as the variable's name.
    api_key_env: Type.Optional(
      text(
        '^[A-Z_][A-Z0-9_]{0,127}$',
        'must be the name of an environment variable in capital letters, such as OPENROUTER_API_KEY, not the key itself',
        { 'x-secret': true },
      ),
    ),
    models: Type.Optional(
      Type.Array(text('^\\S{1,256}$', 'must be a model or a pattern such as "anthropic/*", without spaces'), {
        minItems: 1,
        maxItems: 1_000,
        'x-rule': 'must be a list of 1 to 1000 models or patterns such as ["anthropic/*"]',
      }),
    ),
    strip_prefix: Type.Optional(text('^\\S{1,256}$', 'must be a prefix of model names, such as "openai/"')),
    headers: Type.Optional(
      Type.Record(
        Type.String(),
        text(
          '^[\\t\\x20-\\x7e]{1,4096}$',
          'must be a string of 1 to 4096 ASCII characters; quote it if it looks like a number',
          {
            'x-secret': true,
          },
        ),
        { 'x-rule': 'must be a map of header names to values, such as x-title: presetd', 'x-secret': true },
      ),
    ),
    timeouts: Type.Optional(timeouts),
    concurrency_max: Type.Optional(wholeNumber(1, 100_000)),
    queue_max: Type.Optional(wholeNumber(0, 100_000)),
  },
  { additionalProperties: false, 'x-rule': 'must be a map with a name and a kind' },
);

export const upstreamFile = Type.Object(
  {
    upstreams: Type.Array(upstream, {
      minItems: 1,
      maxItems: 100,
      'x-rule': 'must be a list of 1 to 100 upstreams, each with a name and a kind',
    }),
    attempts_max: Type.Optional(wholeNumber(1, 16)),
  },
  { additionalProperties: false, 'x-rule': 'must be a map with the key upstreams' },
);

export type UpstreamFile = Static<typeof upstreamFile>;
export type UpstreamEntry = UpstreamFile['upstreams'][number];

function text(pattern: string, rule: string, options: object = {}) {
  return Type.String({ pattern, 'x-rule': rule, ...options });
}

function wholeNumber(minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return Type.Integer({ minimum, maximum, 'x-rule': rule });
}

function oneOf<T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ enum: values, 'x-rule': `must be one of ${values.join(', ')}` });
}

/** Compiled on every call, which is at startup and on a reload. */
export function compileUpstreamFileSchema(): ValidateFunction<UpstreamFile> {
  const ajv = new Ajv({ allErrors: true, verbose: true });
  ajv.addVocabulary(['x-rule', 'x-secret']);
  ajv.addFormat('base-url', isBaseUrl);
  return ajv.compile<UpstreamFile>(upstreamFile);
}

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
  for (const key of parsePointer(instancePath)) {
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
