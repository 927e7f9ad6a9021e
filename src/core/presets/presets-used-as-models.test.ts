import { expect, it } from 'vitest';
import { findPresetsUsedAsModels } from './presets-used-as-models.ts';

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
