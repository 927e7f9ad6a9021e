import { Type } from 'typebox';

/** Settings for image output. Each model defines its own, so only the JSON type is checked. */
export const imageConfig = Type.Unsafe<string | number | unknown[] | Record<string, unknown>>({
  type: ['string', 'number', 'array', 'object'],
  items: {},
});
