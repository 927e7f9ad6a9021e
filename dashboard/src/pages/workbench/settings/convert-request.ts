import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import type { JsonObject } from '../../../../../src/dialects/json-object.ts';
import { translateWithoutFitting } from '../../../../../src/dialects/translate/translate-request.ts';

interface ConvertedRequest {
  readonly text: string;
  /** Paths of the fields that the other format cannot express. */
  readonly dropped: readonly string[];
}

/** Throws if the request refers to something that is stored at a provider. */
export function convertRequest(body: JsonObject, from: Dialect, to: Dialect): ConvertedRequest {
  // The extension is the same in every format.
  const { presetd, ...request } = body;
  const { body: converted, droppedFields } = translateWithoutFitting(request, from, to);
  const whole = presetd === undefined ? converted : { ...converted, presetd };
  return { text: JSON.stringify(whole, null, 2), dropped: droppedFields };
}
