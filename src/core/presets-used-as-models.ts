import type { Issue } from './errors.ts';
import { presetMarker } from './preset-reference.ts';

/**
 * Where a config or a request names a preset in the place of a model. A preset is applied once, so that a model that is
 * a preset again would never be found.
 */
export function findPresetsUsedAsModels(config: Readonly<Record<string, unknown>>): readonly Issue[] {
  const { model, models, fallbacks } = config;
  // Most have nothing of it, and this is asked of every call.
  if (models === undefined && fallbacks === undefined && !isPreset(model)) return none;
  const named = [
    { path: '/model', name: model },
    ...listed(models, '/models'),
    ...listed(fallbacks, '/fallbacks').map(({ path, name }) => ({
      path: namesModel(name) ? `${path}/model` : path,
      name,
    })),
  ];
  return named
    .filter(({ name }) => isPreset(name))
    .map(({ path }) => ({ path, message: 'must name a model, not a preset' }));
}

const none: readonly Issue[] = [];

/** In whatever shape: an upstream might find it there, too. */
function isPreset(name: unknown): boolean {
  if (name === undefined || name === null) return false;
  return (typeof name === 'string' ? name : JSON.stringify(name)).includes(presetMarker);
}

function listed(value: unknown, path: string): readonly { readonly path: string; readonly name: unknown }[] {
  if (!Array.isArray(value)) return [{ path, name: value }];
  return value.map((name, index) => ({ path: `${path}/${index}`, name }));
}

function namesModel(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'model' in value;
}
