/** Schemas of the fields that OpenRouter adds to the dialects. */

import { Type } from '../../core/type.ts';
import { closedUnion, nullable, openUnion } from './combinators.ts';
import { plugins } from './plugins.ts';
import { providerPreferences } from './provider-preferences.ts';

const resultLimit = { max_results: Type.Optional(Type.Integer()) };

/**
 * OpenRouter's protocol for searching a large tool catalog instead of sending all of it. Each
 * setting has one value today. The protocol is versioned, so any string passes.
 */
const deferredTools = Type.Object({
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

/**
 * When OpenRouter ends its server-tool loop; any one condition is enough. Unknown conditions are
 * rejected, because a limit that is not understood would never apply.
 */
const stopServerToolsWhen = Type.Array(
  closedUnion('type', [
    Type.Object({ type: Type.Literal('step_count_is'), step_count: Type.Integer() }),
    Type.Object({ type: Type.Literal('has_tool_call'), tool_name: Type.String({ minLength: 1 }) }),
    Type.Object({ type: Type.Literal('max_tokens_used'), max_tokens: Type.Integer() }),
    Type.Object({ type: Type.Literal('max_cost'), max_cost_in_dollars: Type.Number() }),
    Type.Object({ type: Type.Literal('finish_reason_is'), reason: Type.String({ minLength: 1 }) }),
  ]),
  { minItems: 1 },
);

/** OpenRouter groups requests with the same id and routes them to the same provider. */
const sessionId = Type.String({ maxLength: 256 });

/** OpenRouter passes these to observability tools. Callers may add keys of their own. */
const trace = Type.Object(
  {
    trace_id: Type.Optional(Type.String()),
    trace_name: Type.Optional(Type.String()),
    span_name: Type.Optional(Type.String()),
    generation_name: Type.Optional(Type.String()),
    parent_span_id: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);

/** The fields that OpenRouter adds to every dialect. */
export const routingFields = {
  models: Type.Optional(
    Type.Array(Type.String(), { description: 'Fallback models, tried in order after `model`.' }),
  ),
  provider: Type.Optional(nullable(providerPreferences)),
  plugins: Type.Optional(plugins),
  route: Type.Optional(Type.Unknown({ description: 'Deprecated. Any value is accepted.' })),
  deferred_tools: Type.Optional(deferredTools),
  stop_server_tools_when: Type.Optional(stopServerToolsWhen),
  session_id: Type.Optional(sessionId),
  trace: Type.Optional(trace),
  preset: Type.Optional(Type.String({ description: 'A preset to apply. Captures do not save it.' })),
};

/** The end user on whose behalf the request is made; `user` in every dialect. */
export const endUser = Type.String({ maxLength: 256 });

/** Settings for image output. Each model defines its own, so only the JSON type is checked. */
export const imageConfig = Type.Unsafe<string | number | unknown[] | Record<string, unknown>>({
  type: ['string', 'number', 'array', 'object'],
  items: {},
});

/** Asks OpenRouter to return the request it sent to the provider. */
export const debug = Type.Object({ echo_upstream_body: Type.Optional(Type.Boolean()) });
