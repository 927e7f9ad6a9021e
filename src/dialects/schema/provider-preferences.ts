import { Type } from '../../core/type.ts';
import { anyObject, dictionaryOf, nullable } from './combinators.ts';

const providerNames = Type.Optional(nullable(Type.Array(Type.String())));
const flag = Type.Optional(nullable(Type.Boolean()));

const sortKey = Type.Enum(['price', 'throughput', 'latency', 'exacto']);

/** The numeric precisions by which requests can be limited to certain hosts of a model. */
const quantization = Type.Enum([
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
]);

/** OpenRouter's schema says strings, its guide shows numbers. Clients use both. */
const price = Type.Optional(Type.Union([Type.String(), Type.Number()]));

const percentile = Type.Optional(nullable(Type.Number()));

/** A single number, or one per percentile. */
const performanceCutoff = Type.Optional(
  nullable(
    Type.Union([
      Type.Number(),
      Type.Object({ p50: percentile, p75: percentile, p90: percentile, p99: percentile }),
    ]),
  ),
);

/**
 * OpenRouter's provider selection. Unlike all other objects, it rejects unknown keys: a misspelled
 * privacy setting must not go unnoticed.
 */
export const providerPreferences = Type.Object(
  {
    order: providerNames,
    only: providerNames,
    ignore: providerNames,
    allow_fallbacks: flag,
    require_parameters: flag,
    zdr: flag,
    enforce_distillable_text: flag,
    data_collection: Type.Optional(nullable(Type.Enum(['allow', 'deny']))),
    quantizations: Type.Optional(nullable(Type.Array(quantization))),
    sort: Type.Optional(
      nullable(
        Type.Union([
          sortKey,
          Type.Object({
            by: Type.Optional(nullable(sortKey)),
            partition: Type.Optional(nullable(Type.Enum(['model', 'none']))),
          }),
        ]),
      ),
    ),
    max_price: Type.Optional(
      Type.Object({ prompt: price, completion: price, request: price, image: price, audio: price }),
    ),
    preferred_min_throughput: performanceCutoff,
    preferred_max_latency: performanceCutoff,
    options: Type.Optional(
      dictionaryOf(anyObject, { description: 'Provider-specific options, by provider slug.' }),
    ),
  },
  { additionalProperties: false },
);
