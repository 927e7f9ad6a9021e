import { createModelMatcher } from '../router.ts';
import type { GatewaySettings, Upstream } from '../upstreams/upstream.ts';
import type { ModelEntry } from './model-entry.ts';
import { UpstreamModels } from './upstream-models.ts';

export interface ModelListOptions {
  readonly settings: () => GatewaySettings;
  readonly fetch: (upstream: Upstream) => Promise<readonly unknown[]>;
  readonly warn: (fields: object, message: string) => void;
  /** Called per upstream and listing. A hit did not wait for the upstream. */
  readonly observe: (isHit: boolean) => void;
  readonly now?: () => number;
}

/**
 * Lists the models of all upstreams for `GET /api/v1/models`. Never rejects: an upstream whose
 * models are not known is left out. It only waits for upstreams that were never listed before.
 */
export type ModelList = () => Promise<readonly ModelEntry[]>;

export function createModelList(options: ModelListOptions): ModelList {
  const { settings, observe } = options;
  const caches = new Map<string, UpstreamModels>();

  function modelsOf(upstream: Upstream): readonly ModelEntry[] | Promise<readonly ModelEntry[]> {
    // The upstream would reject a request without its key.
    if (upstream.key !== undefined && upstream.key.secret === undefined) return [];
    const identity = identityOf(upstream);
    const cache = caches.get(identity) ?? new UpstreamModels(upstream, options);
    caches.set(identity, cache);
    const models = cache.get();
    observe(!(models instanceof Promise));
    return models;
  }

  return async () => {
    const { upstreams } = settings();
    const identities = new Set(upstreams.map(identityOf));
    for (const identity of caches.keys()) if (!identities.has(identity)) caches.delete(identity);
    const lists = await Promise.all(upstreams.map(modelsOf));
    return selectRoutable(lists, upstreams);
  };
}

/** The settings that a model list depends on. A reload that changes others keeps the cache. */
function identityOf({ name, kind, baseUrl, key, headers, stripPrefix }: Upstream): string {
  return JSON.stringify([name, kind, baseUrl, key?.secret, headers, stripPrefix]);
}

/**
 * Keeps the models that a request in at least one dialect would be routed to the listing upstream
 * for; requests for any other go to an earlier upstream. Each model is listed once.
 */
function selectRoutable(
  lists: readonly (readonly ModelEntry[])[],
  upstreams: readonly Upstream[],
): readonly ModelEntry[] {
  const routes = upstreams.map(({ models, dialects }) => ({
    hasModel: createModelMatcher(models),
    dialects,
  }));
  const selected = new Map<string, ModelEntry>();
  for (const [index, models] of lists.entries()) {
    const dialects = routes[index]?.dialects ?? [];
    for (const model of models) {
      const isRoutable = dialects.some(
        (dialect) =>
          routes.findIndex((route) => route.dialects.includes(dialect) && route.hasModel(model.id)) === index,
      );
      if (isRoutable && !selected.has(model.id)) selected.set(model.id, model);
    }
  }
  return [...selected.values()];
}
