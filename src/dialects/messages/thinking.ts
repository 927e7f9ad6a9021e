import { Type } from 'typebox';
import { nullable } from '../schema/nullable.ts';
import { closedUnion } from '../schema/tagged-union.ts';

const visibilityFields = {
  display: Type.Optional(nullable(Type.Enum(['summarized', 'omitted', 'updates']))),
  block_binding: Type.Optional(nullable(Type.Object({}))),
};

/** The type decides which fields are allowed: only `enabled` has, and requires, a token budget. */
export const thinking = closedUnion('type', [
  Type.Object({ type: Type.Literal('enabled'), budget_tokens: Type.Integer(), ...visibilityFields }),
  Type.Object({ type: Type.Literal('adaptive'), ...visibilityFields }),
  Type.Object({ type: Type.Literal('between_tools') }),
  Type.Object({ type: Type.Literal('disabled') }),
]);
