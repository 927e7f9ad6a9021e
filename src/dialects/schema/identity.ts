/** Schemas of the fields that identify the caller or the session. Captures exclude them. */

import { Type } from 'typebox';
import { dictionaryOf } from './dictionary.ts';

/** OpenRouter groups requests with the same id and routes them to the same provider. */
export const sessionId = Type.String({ maxLength: 256 });

/** The end user on whose behalf the request is made. */
export const endUser = Type.String({ maxLength: 256 });

/** Arbitrary key-value pairs of OpenAI's dialects. Anthropic's `metadata` is something else. */
export const metadata = dictionaryOf(Type.String({ maxLength: 512 }), {
  maxProperties: 16,
  propertyNames: { maxLength: 64 },
  description: 'Up to 16 key-value pairs. Keys have up to 64 characters, values up to 512.',
});
