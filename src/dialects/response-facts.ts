import type { Dialect } from '../core/presets/preset.ts';
import { dialectOf } from './dialects.ts';
import type { ResponseFacts } from './model/completion.ts';
import { findFirstText } from './model/find-value.ts';

/** Finds these facts in the text of a response, or in the first events of a stream. */
export function findFacts(json: string, dialect: Dialect): ResponseFacts {
  return {
    id: findFirstText(json, 'id'),
    model: findFirstText(json, 'model'),
    finishReason: dialectOf[dialect].completion.findFinishReason(json),
  };
}
