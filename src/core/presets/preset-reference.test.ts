import { describe, expect, it } from 'vitest';
import { findPresetsUsedAsModels, formatReference, parsePresetReference } from './preset-reference.ts';

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

it.each<[object, readonly string[]]>([
  [{ model: '@preset/a' }, ['/model']],
  [{ model: 'openai/gpt-5@preset/a' }, ['/model']],
  [{ models: ['a', '@preset/b', 'c@preset/d@3'] }, ['/models/1', '/models/2']],
  [{ fallbacks: [{ model: 'a' }, { model: '@preset/b' }] }, ['/fallbacks/1/model']],
  [{ model: '@preset/a', models: ['@preset/b'] }, ['/model', '/models/0']],
  [{ models: '@preset/a' }, ['/models']],
  [{ models: [['@preset/a'], { model: '@preset/b' }] }, ['/models/0', '/models/1']],
  [{ fallbacks: ['@preset/a'] }, ['/fallbacks/0']],
])('reports the preset in place of a model in %j', (config, paths) => {
  const message = 'must name a model, not a preset';
  expect(findPresetsUsedAsModels({ ...config })).toEqual(paths.map((path) => ({ path, message })));
});

it.each([
  {},
  { model: 'openai/gpt-5', models: ['a', 'b@latest'], fallbacks: [{ model: 'c' }] },
  { model: 'preset/a', models: 'x', fallbacks: 'default' },
  { model: 5, models: [null, 5, {}], fallbacks: [null, 'a', { model: 5 }] },
])('accepts the models in %j', (config) => {
  expect(findPresetsUsedAsModels(config)).toEqual([]);
});
