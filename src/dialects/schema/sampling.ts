/** Schemas of the sampling parameters, shared by the dialects. */

import { Type } from '../../core/type.ts';
import { dictionaryOf } from './combinators.ts';

export const temperature = Type.Number({ minimum: 0, maximum: 2 });
export const topP = Type.Number({ minimum: 0, maximum: 1 });
export const topK = Type.Integer({ minimum: 0, description: '0 disables the limit.' });
export const topA = Type.Number({ minimum: 0, maximum: 1 });
export const minP = Type.Number({ minimum: 0, maximum: 1 });
/** For `frequency_penalty` and `presence_penalty`. */
export const penalty = Type.Number({ minimum: -2, maximum: 2 });
export const repetitionPenalty = Type.Number({ minimum: 0, maximum: 2 });
export const topLogprobs = Type.Integer({ minimum: 0, maximum: 20 });
export const logitBias = dictionaryOf(Type.Number({ minimum: -100, maximum: 100 }), {
  description: 'Maps token ids to the bias added to each.',
});
export const tokenLimit = Type.Integer({ minimum: 1 });
export const toolCallLimit = Type.Integer({ minimum: 1 });
