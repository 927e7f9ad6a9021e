import { Type } from 'typebox';
import { openUnion } from './tagged-union.ts';

const resultLimit = { max_results: Type.Optional(Type.Integer()) };

/**
 * OpenRouter's protocol for searching a large tool catalog instead of sending all of it. Each
 * setting has one value today. The protocol is versioned, so any string passes.
 */
export const deferredTools = Type.Object({
  protocol: Type.String(),
  profile: Type.String(),
  validation: Type.String(),
  search: openUnion('type', [
    Type.Object({ type: Type.Literal('regex'), ...resultLimit }),
    Type.Object({ type: Type.Literal('bm25'), ...resultLimit }),
    Type.Object({
      type: Type.Literal('custom'),
      tool_id: Type.String(),
      result_key: Type.String(),
      ...resultLimit,
    }),
  ]),
});
