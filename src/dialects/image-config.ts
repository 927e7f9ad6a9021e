import { Type } from 'typebox';

/** Settings for image output. The model defines the keys, so only the kind of value is checked. */
export const imageConfig = Type.Unsafe<string | number | unknown[] | Record<string, unknown>>({
  type: ['string', 'number', 'array', 'object'],
  items: {},
});
