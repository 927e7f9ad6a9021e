/** Schemas of OpenAI's fields that chat completions and responses share and messages lacks. */

import { Type } from '../../core/type.ts';
import { dictionaryOf, nullable } from './combinators.ts';

const policy = Type.Optional(nullable(Type.Object({ mode: Type.Enum(['score', 'block']) })));

/** OpenAI's moderation of requests and responses. */
export const moderation = Type.Object({
  model: Type.String(),
  policy: Type.Optional(nullable(Type.Object({ input: policy, output: policy }))),
});

/** Arbitrary key-value pairs. Anthropic's `metadata` is something else. */
export const metadata = dictionaryOf(Type.String({ maxLength: 512 }), {
  maxProperties: 16,
  propertyNames: { maxLength: 64 },
  description: 'Up to 16 key-value pairs. Keys have up to 64 characters, values up to 512.',
});

/** Anthropic's `service_tier` has values of its own. */
export const serviceTier = Type.Enum(['auto', 'default', 'fast', 'flex', 'priority', 'scale', 'ultrafast']);

/** OpenAI's limit. Messages has none, so a translation may have to drop some. */
export const stopSequencesMax = 4;

/** The field `stop`. */
export const stopSequences = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { maxItems: stopSequencesMax }),
]);
