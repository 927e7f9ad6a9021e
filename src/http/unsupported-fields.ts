import { Type } from 'typebox';

/** A field of OpenRouter's that means nothing here. A caller may give it as long as it asks for nothing. */
export function unsupportedField(value: null | false | 1 | readonly [], what: string) {
  return Type.Unsafe<unknown>({
    ...only(value),
    description: `presetd has no ${what}.`,
    'x-must': `is not supported: presetd has no ${what}. Leave it out`,
  });
}

/** The value or null, in keywords that client generators understand: they have no enum of booleans, for one. */
function only(value: null | false | 1 | readonly []): object {
  if (value === null) return { type: 'null' };
  if (typeof value === 'object') return { type: ['array', 'null'], items: {}, maxItems: 0 };
  return { anyOf: [{ type: typeof value, const: value }, { type: 'null' }] };
}
