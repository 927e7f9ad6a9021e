import { Type } from 'typebox';

/**
 * A field of OpenRouter's API for a feature that presetd does not have. Clients may send it with
 * its neutral value, which asks for nothing; any other value is rejected rather than ignored.
 */
export function unsupportedField(neutralValue: null | false | 1 | readonly [], feature: string) {
  return Type.Unsafe<unknown>({
    ...onlyValue(neutralValue),
    description: `presetd has no ${feature}.`,
    'x-must': `is not supported: presetd has no ${feature}. Omit it`,
  });
}

/** Allows the value or null, in keywords that client generators support (no enum of booleans). */
function onlyValue(value: null | false | 1 | readonly []): object {
  if (value === null) return { type: 'null' };
  if (typeof value === 'object') return { type: ['array', 'null'], items: {}, maxItems: 0 };
  return { anyOf: [{ type: typeof value, const: value }, { type: 'null' }] };
}
