import { Type } from 'typebox';
import { nullable } from '../nullable.ts';
import { closedUnion } from '../tagged-union.ts';

const visible = {
  display: Type.Optional(nullable(Type.Enum(['summarized', 'omitted', 'updates']))),
  block_binding: Type.Optional(nullable(Type.Object({}))),
};

export const thinking = closedUnion('type', [
  Type.Object({ type: Type.Literal('enabled'), budget_tokens: Type.Integer(), ...visible }),
  Type.Object({ type: Type.Literal('adaptive'), ...visible }),
  Type.Object({ type: Type.Literal('between_tools') }),
  Type.Object({ type: Type.Literal('disabled') }),
]);
