import { Type } from 'typebox';
import { nullable } from './nullable.ts';

const policy = Type.Optional(nullable(Type.Object({ mode: Type.Enum(['score', 'block']) })));

/** OpenAI's moderation of requests and responses; the same in chat completions and responses. */
export const moderation = Type.Object({
  model: Type.String(),
  policy: Type.Optional(nullable(Type.Object({ input: policy, output: policy }))),
});
