import { Type } from 'typebox';
import { dictionaryOf } from './dictionary.ts';

export const temperature = Type.Number({ minimum: 0, maximum: 2 });
export const topP = Type.Number({ minimum: 0, maximum: 1 });
export const topK = Type.Integer({ minimum: 0, description: '0 considers every token.' });
export const topA = Type.Number({ minimum: 0, maximum: 1 });
export const minP = Type.Number({ minimum: 0, maximum: 1 });
/** Both the frequency and the presence penalty. */
export const penalty = Type.Number({ minimum: -2, maximum: 2 });
export const repetitionPenalty = Type.Number({ minimum: 0, maximum: 2 });
export const topLogprobs = Type.Integer({ minimum: 0, maximum: 20 });
export const logitBias = dictionaryOf(Type.Number({ minimum: -100, maximum: 100 }), {
  description: 'From a token id to the bias added to it.',
});
export const tokenLimit = Type.Integer({ minimum: 1 });
export const toolCallLimit = Type.Integer({ minimum: 1 });
