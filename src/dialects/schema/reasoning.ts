/** Schemas of the reasoning settings, shared by chat completions, responses and server tools. */

import { Type } from '../../core/type.ts';
import { nullable } from './combinators.ts';

export const reasoningEffort = Type.Enum(['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none']);

/** How long the visible output is, independent of the reasoning effort. */
export const verbosity = Type.Enum(['low', 'medium', 'high', 'xhigh', 'max']);

export const reasoningSummary = Type.Enum(['auto', 'concise', 'detailed']);

/** The common fields of `reasoning` in chat completions and responses. */
export const reasoningFields = {
  effort: Type.Optional(nullable(reasoningEffort)),
  summary: Type.Optional(nullable(reasoningSummary)),
  max_tokens: Type.Optional(nullable(Type.Integer())),
  exclude: Type.Optional(nullable(Type.Boolean())),
  enabled: Type.Optional(nullable(Type.Boolean())),
};

/** The reasoning settings that a server tool passes to the model it calls. */
export const toolReasoning = Type.Object({
  effort: Type.Optional(reasoningEffort),
  max_tokens: Type.Optional(Type.Integer()),
});
