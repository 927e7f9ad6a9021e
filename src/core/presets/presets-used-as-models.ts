import type { Issue } from '../errors.ts';
import { presetMarker } from './preset-reference.ts';

/**
 * Finds the fields of a config or request that name a preset where a model belongs. A preset is
 * applied once and never resolved recursively, so no upstream would find such a model.
 */
export function findPresetsUsedAsModels(config: Readonly<Record<string, unknown>>): readonly Issue[] {
  const { model, models, fallbacks } = config;
  // Fast path: this runs for every call, and most name one plain model.
  if (models === undefined && fallbacks === undefined && !namesPreset(model)) return noIssues;
  const candidates = [
    { path: '/model', name: model },
    ...itemsOf(models, '/models'),
    ...itemsOf(fallbacks, '/fallbacks').map(({ path, name }) => ({
      path: hasModel(name) ? `${path}/model` : path,
      name,
    })),
  ];
  return candidates
    .filter(({ name }) => namesPreset(name))
    .map(({ path }) => ({ path, message: 'must name a model, not a preset' }));
}

const noIssues: readonly Issue[] = [];

/** Checks any JSON value, not only strings: an upstream might accept other shapes too. */
function namesPreset(name: unknown): boolean {
  if (name === undefined || name === null) return false;
  return (typeof name === 'string' ? name : JSON.stringify(name)).includes(presetMarker);
}

/** Each item with its path; a value that is not a list counts as its own single item. */
function itemsOf(value: unknown, path: string): readonly { readonly path: string; readonly name: unknown }[] {
  if (!Array.isArray(value)) return [{ path, name: value }];
  return value.map((name, index) => ({ path: `${path}/${index}`, name }));
}

function hasModel(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'model' in value;
}
