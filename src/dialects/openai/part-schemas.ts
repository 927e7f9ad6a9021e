/** Schemas of the content parts that both OpenAI dialects have. */

import { Type } from '../../core/type.ts';

export const audioPart = Type.Object({
  type: Type.Literal('input_audio'),
  input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
});

export const refusalPart = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() });
