import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { routingFields } from './openrouter-fields.ts';

const accepts = new Ajv({ strict: true }).compile(routingFields.deferred_tools);
const control = { protocol: 'v1', profile: 'portable', validation: 'runtime' };

describe('deferred_tools', () => {
  it.each([
    { type: 'regex' },
    { type: 'bm25', max_results: 5 },
    { type: 'custom', tool_id: 'find', result_key: 'tools', max_results: 5 },
    { type: 'a-future-strategy', anything: true },
  ])('accepts the search strategy %j', (search) => {
    expect(accepts({ ...control, search })).toBe(true);
  });

  it.each([undefined, null, {}, { type: 'bm25', max_results: 'all' }, { type: 'custom', tool_id: 'find' }])(
    'rejects the search strategy %j',
    (search) => {
      expect(accepts({ ...control, search })).toBe(false);
    },
  );

  it.each(['protocol', 'profile', 'validation'])('requires %s', (name) => {
    expect(accepts({ ...control, search: { type: 'regex' }, [name]: undefined })).toBe(false);
  });

  it('accepts values of a later protocol version', () => {
    const later = { protocol: 'v2', profile: 'native', validation: 'none', search: { type: 'regex' } };
    expect(accepts(later)).toBe(true);
  });
});
