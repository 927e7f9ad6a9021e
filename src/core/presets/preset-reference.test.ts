import { describe, expect, it } from 'vitest';
import {
  findPresetsUsedAsModels,
  formatReference,
  parseModelId,
  parsePresetReference,
} from './preset-reference.ts';

describe('parsePresetReference', () => {
  it.each([
    [{ model: '@preset/mail' }, 'mail', undefined],
    [{ model: '@preset/mail@3' }, 'mail@3', undefined],
    [{ model: '@preset/mail:staging' }, 'mail:staging', undefined],
    [{ model: '@preset/mail:latest' }, 'mail:latest', undefined],
    [{ model: 'openai/gpt-5@preset/mail' }, 'mail', 'openai/gpt-5'],
    [{ model: 'openai/gpt-5:nitro@preset/mail@12' }, 'mail@12', 'openai/gpt-5:nitro'],
    [{ model: 'anthropic/@preset/mail' }, 'mail', undefined],
    [{ model: 'anthropic/ @preset/mail@3' }, 'mail@3', undefined],
    [{ preset: 'mail' }, 'mail', undefined],
    [{ preset: '@preset/mail:staging' }, 'mail:staging', undefined],
    [{ preset: 'mail@3', model: 'openai/gpt-5' }, 'mail@3', 'openai/gpt-5'],
    [{ preset: 'mail', model: '@preset/mail' }, 'mail', undefined],
    [{ preset: 'mail', model: null }, 'mail', undefined],
    [{ model: '@preset/A.b_c~d-1' }, 'A.b_c~d-1', undefined],
    [{ model: '@preset/mail@latest' }, 'mail@latest', undefined],
    [{ model: '@preset/mail:3' }, 'mail:3', undefined],
    [{ model: '@preset/mail@preset/other' }, 'mail@preset/other', undefined],
    [{ prompt: { id: 'mail' } }, 'mail', undefined],
    [{ prompt: { id: '@preset/mail@3' }, model: 'm' }, 'mail@3', 'm'],
    [{ prompt: { prompt_id: 'pmpt_68a', version: '3' } }, 'pmpt_68a@3', undefined],
    [{ prompt: { id: null, prompt_id: 'mail', version: 3, variables: null } }, 'mail@3', undefined],
    [{ prompt: { id: 'mail', version: 'staging' } }, 'mail:staging', undefined],
    [{ prompt: { version: '3' }, model: 'm@preset/mail' }, 'mail@3', 'm'],
    [{ prompt: { id: 'mail' }, preset: 'mail@3' }, 'mail@3', undefined],
    [{ prompt: { id: 'mail', version: '3' }, preset: 'mail@3' }, 'mail@3', undefined],
    [{ prompt: { id: 'mail', prompt_id: 'mail' } }, 'mail', undefined],
  ])('the preset in %j is found', (request, reference, model) => {
    const read = parsePresetReference(request);
    expect(read.reference && formatReference(read.reference)).toBe(reference);
    expect(read.model).toBe(model);
  });

  it.each([
    [{}],
    [{ model: 'openai/gpt-5' }],
    [{ model: 'a@b:c' }],
    [{ preset: null, model: 'm' }],
    [{ prompt: 'text' }],
    [{ prompt: ['text'] }],
    [{ prompt: null }],
  ])('there is no preset in %j', (request) => {
    expect(parsePresetReference(request).reference).toBeUndefined();
  });

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
    [{ prompt: {} }, '/prompt/id'],
    [{ prompt: { id: 'a b' } }, '/prompt/id'],
    [{ prompt: { id: 5 } }, '/prompt/id'],
    [{ prompt: { prompt_id: '' } }, '/prompt/prompt_id'],
    [{ prompt: { id: 'mail', version: ['3'] } }, '/prompt/version'],
    [{ prompt: { id: 'mail@2', version: '3' } }, '/prompt/version'],
    [{ prompt: { id: 'mail', 'a/b': 1 } }, '/prompt/a~1b'],
    [{ prompt: { id: 'mail', variables: ['x'] } }, '/prompt/variables'],
    [{ prompt: { id: 'mail' }, model: '@preset/other' }, '/prompt/id'],
    [{ prompt: { id: 'mail', prompt_id: 'other' } }, '/prompt/prompt_id'],
    [{ prompt: { id: 'mail', prompt_id: 5 } }, '/prompt/prompt_id'],
    [{ prompt: { id: 'mail@2' }, preset: 'mail@3' }, '/prompt/id'],
  ])('the invalid reference in %j is rejected', (request, path) => {
    expect(() => parsePresetReference(request)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', issues: [expect.objectContaining({ path })] }),
    );
  });

  it.each([
    [{ prompt: { id: 'mail', prompt_id: 'other' } }, 'differs from /prompt/id; send only one of them'],
    [{ prompt: { id: 'mail', version: '' } }, 'must be a version number or a label'],
    [{ prompt: { id: 'mail', version: ' ' } }, 'must be a version number or a label'],
    [
      { prompt: { id: 'mail', version: '3' }, model: '@preset/mail@2' },
      'asks for mail@3, but the request also asks for mail@2; name the version once',
    ],
    [
      { prompt: { id: 'mail:beta', version: 3 } },
      'asks for mail@3, but the request also asks for mail:beta; name the version once',
    ],
  ])('the message says what is wrong with %j', (request, message) => {
    expect(() => parsePresetReference(request)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ message })] }),
    );
  });

  it('the variables of a prompt are returned', () => {
    const variables = { customer: 'Ada' };
    expect(parsePresetReference({ prompt: { id: 'mail', variables } }).variables).toBe(variables);
    expect(parsePresetReference({ model: '@preset/mail' }).variables).toEqual({});
  });
});

describe('parseModelId', () => {
  it.each([
    ['openai/gpt-5', undefined, 'openai/gpt-5'],
    ['openai/', undefined, 'openai/'],
    ['@preset/mail@3', 'mail@3', undefined],
    ['openai/gpt-5@preset/mail:staging', 'mail:staging', 'openai/gpt-5'],
    ['anthropic/@preset/mail', 'mail', undefined],
  ])('%s is split into a preset and a model', (id, reference, model) => {
    const parsed = parseModelId(id);
    expect(parsed.reference && formatReference(parsed.reference)).toBe(reference);
    expect(parsed.model).toBe(model);
  });

  it.each(['@preset/', '@preset/a b', '@presets/mail', 'm@Preset/mail', '@preset'])(
    'rejects %s, which looks like a preset',
    (id) => {
      expect(() => parseModelId(id)).toThrow(
        expect.objectContaining({
          kind: 'not_found',
          message: `The model "${id}" does not name a preset. Write a preset as "@preset/slug".`,
        }),
      );
    },
  );
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
])('the preset in place of a model in %j is reported', (config, paths) => {
  const message = 'must name a model, not a preset';
  expect(findPresetsUsedAsModels({ ...config })).toEqual(paths.map((path) => ({ path, message })));
});

it.each([
  {},
  { model: 'openai/gpt-5', models: ['a', 'b@latest'], fallbacks: [{ model: 'c' }] },
  { model: 'preset/a', models: 'x', fallbacks: 'default' },
  { model: 5, models: [null, 5, {}], fallbacks: [null, 'a', { model: 5 }] },
])('the models in %j are accepted', (config) => {
  expect(findPresetsUsedAsModels(config)).toEqual([]);
});
