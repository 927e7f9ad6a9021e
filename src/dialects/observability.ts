import { Type } from 'typebox';

/** Names for observability; further keys are the caller's own. */
export const trace = Type.Object({
  trace_id: Type.Optional(Type.String()),
  trace_name: Type.Optional(Type.String()),
  span_name: Type.Optional(Type.String()),
  generation_name: Type.Optional(Type.String()),
  parent_span_id: Type.Optional(Type.String()),
});

export const debug = Type.Object({ echo_upstream_body: Type.Optional(Type.Boolean()) });
