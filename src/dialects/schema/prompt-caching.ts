/** Schemas of the fields that control prompt caching, shared by the dialects. */

import { Type } from '../../core/type.ts';
import { nullable } from './combinators.ts';

/** Marks the end of a prefix that the provider may cache. */
export const cacheControl = Type.Object({
  type: Type.Literal('ephemeral'),
  ttl: Type.Optional(Type.Enum(['5m', '1h'])),
});

/** OpenRouter requires a mode and knows only `explicit`. OpenAI also has `implicit` or none. */
export const promptCacheOptions = Type.Object({
  mode: Type.Optional(Type.Enum(['implicit', 'explicit'])),
  ttl: Type.Optional(nullable(Type.String())),
});

export const promptCacheBreakpoint = nullable(
  Type.Object({ mode: Type.Literal('explicit'), ttl: Type.Optional(nullable(Type.String())) }),
);

/** Any string passes, because the two existing values have had more than one spelling. */
export const promptCacheRetention = Type.String();
