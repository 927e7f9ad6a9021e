import { describe, expect, it } from 'vitest';
import { formatReference, parsePresetReference } from './preset-reference.ts';

describe('parsePresetReference', () => {
  it.each([
    [{ model: '@preset/mail' }, 'mail', undefined],
    [{ model: '@preset/mail@3' }, 'mail@3', undefined],
    [{ model: '@preset/mail:staging' }, 'mail:staging', undefined],
    [{ model: '@preset/mail:latest' }, 'mail:latest', undefined],
    [{ model: 'openai/gpt-5@preset/mail' }, 'mail', 'openai/gpt-5'],
    [{ model: 'openai/gpt-5:nitro@preset/mail@12' }, 'mail@12', 'openai/gpt-5:nitro'],
    [{ preset: 'mail' }, 'mail', undefined],
    [{ preset: '@preset/mail:staging' }, 'mail:staging', undefined],
    [{ preset: 'mail@3', model: 'openai/gpt-5' }, 'mail@3', 'openai/gpt-5'],
    [{ preset: 'mail', model: '@preset/mail' }, 'mail', undefined],
    [{ preset: 'mail', model: null }, 'mail', undefined],
    [{ model: '@preset/A.b_c~d-1' }, 'A.b_c~d-1', undefined],
    [{ model: '@preset/mail@latest' }, 'mail@latest', undefined],
    [{ model: '@preset/mail:3' }, 'mail:3', undefined],
    [{ model: '@preset/mail@preset/other' }, 'mail@preset/other', undefined],
  ])('finds the preset in %j', (request, reference, model) => {
    const read = parsePresetReference(request);
    expect(read.reference && formatReference(read.reference)).toBe(reference);
    expect(read.model).toBe(model);
  });

  it.each([[{}], [{ model: 'openai/gpt-5' }], [{ model: 'a@b:c' }], [{ preset: null, model: 'm' }]])(
    'finds no preset in %j',
    (request) => {
      expect(parsePresetReference(request).reference).toBeUndefined();
    },
  );

  it.each([
    [{ model: '@preset/' }, '/model'],
    [{ model: '@preset/a b' }, '/model'],
    [{ model: '@preset/..' }, '/model'],
    [{ model: '@preset/@3' }, '/model'],
    [{ model: 'vendor/model@preset/' }, '/model'],
    [{ model: 5 }, '/model'],
    [{ model: ['@preset/mail'] }, '/model'],
    [{ model: 'm'.repeat(1_025) }, '/model'],
    [{ preset: '' }, '/preset'],
    [{ preset: 3 }, '/preset'],
    [{ preset: { slug: 'mail' } }, '/preset'],
    [{ preset: 'mail', model: '@preset/other' }, '/preset'],
    [{ preset: 'mail', model: '@preset/mail@3' }, '/preset'],
  ])('rejects the invalid reference in %j', (request, path) => {
    expect(() => parsePresetReference(request)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', issues: [expect.objectContaining({ path })] }),
    );
  });
});
