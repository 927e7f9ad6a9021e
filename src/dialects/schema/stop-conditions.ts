import { Type } from 'typebox';
import { closedUnion } from './tagged-union.ts';

/**
 * When OpenRouter ends its server-tool loop; any one condition is enough. Unknown conditions are
 * rejected, because a limit that is not understood would never apply.
 */
export const stopServerToolsWhen = Type.Array(
  closedUnion('type', [
    Type.Object({ type: Type.Literal('step_count_is'), step_count: Type.Integer() }),
    Type.Object({ type: Type.Literal('has_tool_call'), tool_name: Type.String({ minLength: 1 }) }),
    Type.Object({ type: Type.Literal('max_tokens_used'), max_tokens: Type.Integer() }),
    Type.Object({ type: Type.Literal('max_cost'), max_cost_in_dollars: Type.Number() }),
    Type.Object({ type: Type.Literal('finish_reason_is'), reason: Type.String({ minLength: 1 }) }),
  ]),
  { minItems: 1 },
);
