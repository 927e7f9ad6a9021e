import { Ajv, type ValidateFunction } from 'ajv';
import { type Static, Type } from 'typebox';
import { dialects } from '../../core/preset.ts';
import { baseUrlRule, isBaseUrl } from './base-url.ts';
import { upstreamKinds } from './upstream.ts';

const dayMs = 86_400_000;

// Every part says in `x-must` what it has to be. One that is `x-hidden` may hold a secret and is not repeated.

const timeouts = Type.Object(
  {
    connect_ms: Type.Optional(wholeNumber(1, dayMs)),
    first_byte_ms: Type.Optional(wholeNumber(1, dayMs)),
    idle_ms: Type.Optional(wholeNumber(1, dayMs)),
    total_ms: Type.Optional(wholeNumber(1, dayMs)),
  },
  { additionalProperties: false, 'x-must': 'must have some of connect_ms, first_byte_ms, idle_ms, total_ms' },
);

const upstream = Type.Object(
  {
    name: text('^[a-z0-9_-]{1,63}$', 'must be 1 to 63 of a-z, 0-9, - and _'),
    kind: oneOf(upstreamKinds),
    base_url: Type.Optional(Type.String({ format: 'base-url', 'x-must': baseUrlRule })),
    dialects: Type.Optional(
      Type.Array(oneOf(dialects), {
        minItems: 1,
        uniqueItems: true,
        'x-must': `must be a list of some of ${dialects.join(', ')}, each once`,
      }),
    ),
    // Capital letters only, because a key that is put here by mistake would be told to callers as a name.
    api_key_env: Type.Optional(
      text(
        '^[A-Z_][A-Z0-9_]{0,127}$',
        'must be the name of an environment variable in capital letters, such as OPENROUTER_API_KEY, and not the key itself',
        { 'x-hidden': true },
      ),
    ),
    models: Type.Optional(
      Type.Array(text('^\\S{1,256}$', 'must be a model or a pattern such as "anthropic/*", without spaces'), {
        minItems: 1,
        maxItems: 1_000,
        'x-must': 'must be a list of 1 to 1000 models and patterns such as ["anthropic/*"]',
      }),
    ),
    strip_prefix: Type.Optional(
      text('^\\S{1,256}$', 'must be the beginning of the name of a model, such as "openai/"'),
    ),
    headers: Type.Optional(
      Type.Record(
        Type.String(),
        text(
          '^[\\t\\x20-\\x7e]{1,4096}$',
          'must be text of 1 to 4096 ASCII characters, in quotes where it looks like a number',
          {
            'x-hidden': true,
          },
        ),
        { 'x-must': 'must be a map of names and values, such as x-title: presetd', 'x-hidden': true },
      ),
    ),
    timeouts: Type.Optional(timeouts),
    concurrency_max: Type.Optional(wholeNumber(1, 100_000)),
    queue_max: Type.Optional(wholeNumber(0, 100_000)),
  },
  { additionalProperties: false, 'x-must': 'must be an upstream, with a name and a kind' },
);

export const upstreamFile = Type.Object(
  {
    upstreams: Type.Array(upstream, {
      minItems: 1,
      maxItems: 100,
      'x-must': 'must be a list of 1 to 100 upstreams, each with a name and a kind',
    }),
    attempts_max: Type.Optional(wholeNumber(1, 16)),
  },
  { additionalProperties: false, 'x-must': 'must be a map with the key upstreams' },
);

export type UpstreamFile = Static<typeof upstreamFile>;
export type UpstreamEntry = UpstreamFile['upstreams'][number];

/** Compiled when a file is read, which is at start and at a reload. */
export function compileUpstreamFileSchema(): ValidateFunction<UpstreamFile> {
  const ajv = new Ajv({ allErrors: true, verbose: true });
  ajv.addVocabulary(['x-must', 'x-hidden']);
  ajv.addFormat('base-url', isBaseUrl);
  return ajv.compile<UpstreamFile>(upstreamFile);
}

function text(pattern: string, must: string, options: object = {}) {
  return Type.String({ pattern, 'x-must': must, ...options });
}

function wholeNumber(minimum: number, maximum: number) {
  const must = `must be a whole number from ${minimum} to ${maximum}`;
  return Type.Integer({ minimum, maximum, 'x-must': must });
}

function oneOf<T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ enum: values, 'x-must': `must be one of ${values.join(', ')}` });
}
