import { Type } from 'typebox';
import { anyObject } from '../schema/dictionary.ts';
import { nullable } from '../schema/nullable.ts';

/** Also the schema of the older top-level field `output_format`. */
export const outputFormat = Type.Object({ type: Type.Literal('json_schema'), schema: anyObject });

export const outputConfig = Type.Object({
  effort: Type.Optional(nullable(Type.Enum(['low', 'medium', 'high', 'xhigh', 'max']))),
  format: Type.Optional(nullable(outputFormat)),
  task_budget: Type.Optional(
    nullable(
      Type.Object({
        type: Type.Literal('tokens'),
        total: Type.Integer({ minimum: 20_000 }),
        remaining: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
      }),
    ),
  ),
});
