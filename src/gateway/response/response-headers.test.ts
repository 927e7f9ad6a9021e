import { describe, expect, it } from 'vitest';
import { createTrace } from '../call.ts';
import { fieldNamesHeader, presetdHeaders } from './response-headers.ts';

describe('the header of overridden fields', () => {
  it('names the side that won next to fields that a policy changed', () => {
    expect(
      fieldNamesHeader([
        { name: 'system_prompt', winner: 'both' },
        { name: 'model', winner: 'preset' },
        'seed',
      ]),
    ).toBe('system_prompt;both, model;preset, seed');
  });

  it('encodes separators in names, so that a name cannot look like a win', () => {
    expect(fieldNamesHeader(['model;preset', 'a, b'])).toBe('model%3Bpreset, a%2C%20b');
  });

  it('has the changes of the policy first, because the list is cut', () => {
    const trace = {
      ...createTrace(),
      overriddenFields: Array.from({ length: 200 }, (_, index) => `tools.number_${index}`),
      policyFields: [{ name: 'model', winner: 'preset' }] as const,
    };
    const headers = presetdHeaders(trace, 1);
    const value = String(headers[headers.indexOf('x-presetd-overridden-fields') + 1]);
    expect(value).toMatch(/^model;preset, tools\.number_0, .* and \d+ more$/);
    expect(value.length).toBeLessThan(1_100);
  });
});
