import { Type } from 'typebox';
import { nullable } from './nullable.ts';

/** Marks the end of a prefix that the provider may cache. */
export const cacheControl = Type.Object({
  type: Type.Literal('ephemeral'),
  ttl: Type.Optional(Type.Enum(['5m', '1h'])),
});

/** OpenRouter demands a mode and knows only `explicit`; OpenAI leaves it out or says `implicit` as well. */
export const promptCacheOptions = Type.Object({
  mode: Type.Optional(Type.Enum(['implicit', 'explicit'])),
  ttl: Type.Optional(nullable(Type.String())),
});

export const promptCacheBreakpoint = nullable(
  Type.Object({ mode: Type.Literal('explicit'), ttl: Type.Optional(nullable(Type.String())) }),
);

/** Any word passes: the two that exist have been spelled in more than one way. */
export const promptCacheRetention = Type.String();
