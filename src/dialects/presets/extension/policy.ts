import { Type } from '../../../core/type.ts';
import { temperature, tokenLimit } from '../../schema/sampling.ts';

const limits = Type.Object(
  {
    max_tokens: Type.Optional(tokenLimit),
    temperature: Type.Optional(temperature),
    n: Type.Optional(Type.Integer({ minimum: 1 })),
    reasoning_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  {
    additionalProperties: false,
    description:
      'Upper bounds. A larger value is lowered, and so is a negative one or one that is not a number; a missing one stays missing. `max_tokens` covers the other names of the token limit, `reasoning_tokens` is the reasoning budget.',
  },
);

/** How a preset meets a request that sets the same things: `presetd.policy` in a create body. */
export const policy = Type.Object(
  {
    system_prompt: Type.Optional(
      Type.Enum(['replace', 'prepend', 'append', 'lock'], {
        description:
          "What happens if a request has a system prompt of its own: it replaces the preset's (`replace`, the default), comes after it (`prepend`) or before it (`append`), or is removed (`lock`).",
      }),
    ),
    locked: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 64,
        description:
          'Fields that requests cannot set, by their names in the dialect of this request. Locking `model` also locks `models`, `fallbacks` and `route`.',
      }),
    ),
    limits: Type.Optional(limits),
  },
  { additionalProperties: false },
);

export type Policy = Type.Static<typeof policy>;
export type PolicyLimits = Type.Static<typeof limits>;

/** The modes that differ from how presets are applied without a policy. */
export type SystemPromptMode = Exclude<Policy['system_prompt'], 'replace' | undefined>;
