import { Type } from 'typebox';

/** OpenRouter passes these to observability tools. Callers may add keys of their own. */
export const trace = Type.Object({
  trace_id: Type.Optional(Type.String()),
  trace_name: Type.Optional(Type.String()),
  span_name: Type.Optional(Type.String()),
  generation_name: Type.Optional(Type.String()),
  parent_span_id: Type.Optional(Type.String()),
});

/** Asks OpenRouter to return the request it sent to the provider. */
export const debug = Type.Object({ echo_upstream_body: Type.Optional(Type.Boolean()) });
