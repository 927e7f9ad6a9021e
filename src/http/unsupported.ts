import { Type } from 'typebox';

/** A field of OpenRouter's that means nothing here. A caller may give it as long as it asks for nothing. */
export function neutral(value: null | false | 1 | readonly [], what: string) {
  const isList = Array.isArray(value);
  return Type.Unsafe<unknown>({
    ...(isList
      ? { type: ['array', 'null'], maxItems: 0 }
      : { enum: value === null ? [null] : [value, null] }),
    description: `presetd has no ${what}.`,
    'x-must': `is not supported: presetd has no ${what}. Leave it out`,
  });
}
