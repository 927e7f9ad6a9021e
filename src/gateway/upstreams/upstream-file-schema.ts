import { dialects } from '../../core/presets/preset.ts';
import { Type } from '../../core/type.ts';
import { oneOf, secretVariable, text, wholeNumber } from '../../settings-file/file-schema.ts';
import { endpoints } from './endpoint.ts';
import { baseUrlRule, upstreamKinds } from './upstream.ts';

const dayMs = 86_400_000;

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

const dollars = Type.Number({
  minimum: 0,
  maximum: 1_000_000,
  'x-rule': 'must be a price in US dollars, from 0 to 1000000',
});

/** In US dollars. */
const price = Type.Object(
  {
    input_per_million: Type.Optional(dollars),
    output_per_million: Type.Optional(dollars),
    cached_input_per_million: Type.Optional(dollars),
    cache_write_per_million: Type.Optional(dollars),
    request: Type.Optional(dollars),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-rule':
      'must be a map of input_per_million, output_per_million, cached_input_per_million, cache_write_per_million and request, at least one of them',
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
    api_key_env: Type.Optional(secretVariable('OPENROUTER_API_KEY', 'key')),
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
    prices: Type.Optional(
      Type.Record(Type.String({ pattern: '^\\S{1,256}$' }), price, {
        'x-rule': 'must be a map of models or patterns, such as "openai/*", to their prices',
      }),
    ),
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

export type UpstreamFile = Type.Static<typeof upstreamFile>;
export type PriceEntry = Type.Static<typeof price>;
export type UpstreamEntry = UpstreamFile['upstreams'][number];
