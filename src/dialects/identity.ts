import { Type } from 'typebox';
import { dictionaryOf } from './dictionary.ts';

/** Groups related requests, and keeps them at one provider. */
export const sessionId = Type.String({ maxLength: 256 });

/** The end user on whose behalf the request is made. */
export const endUser = Type.String({ maxLength: 256 });

/** The pairs that OpenAI's dialects carry along with a request; Anthropic's `metadata` is something else. */
export const metadata = dictionaryOf(Type.String({ maxLength: 512 }), {
  maxProperties: 16,
  propertyNames: { maxLength: 64 },
  description: 'Up to 16 pairs; keys of up to 64 characters, values of up to 512.',
});
