import { createModelMatcher } from '../router.ts';
import type { GatewaySettings, Upstream } from '../upstreams/upstream.ts';
import type { ModelEntry } from './model-entry.ts';
import { UpstreamModels } from './upstream-models.ts';

export interface ModelListOptions {
  readonly settings: () => GatewaySettings;
  readonly fetch: (upstream: Upstream) => Promise<readonly unknown[]>;
  readonly warn: (fields: object, message: string) => void;
  /** A hit was answered without waiting for an upstream. */
  readonly observe: (isHit: boolean) => void;
  readonly now?: () => number;
}

/** The models of all upstreams, as far as they are known. Never rejects, and waits only for those never heard before. */
export type ModelList = () => Promise<readonly ModelEntry[]>;

export function createModelList(options: ModelListOptions): ModelList {
  const { settings, observe } = options;
  const known = new Map<string, UpstreamModels>();

  function modelsOf(upstream: Upstream): readonly ModelEntry[] | Promise<readonly ModelEntry[]> {
    // Without its key an upstream would refuse.
    if (upstream.key !== undefined && upstream.key.secret === undefined) return [];
    const identity = identityOf(upstream);
    const models = known.get(identity) ?? new UpstreamModels(upstream, options);
    known.set(identity, models);
    const found = models.get();
    observe(!(found instanceof Promise));
    return found;
  }

  return async () => {
    const { upstreams } = settings();
    const identities = new Set(upstreams.map(identityOf));
    for (const identity of known.keys()) if (!identities.has(identity)) known.delete(identity);
    const lists = await Promise.all(upstreams.map(modelsOf));
    return reachable(lists, upstreams);
  };
}

/** What of an upstream decides about its list: as long as that is the same, a reload forgets nothing. */
function identityOf({ name, kind, baseUrl, key, headers, stripPrefix }: Upstream): string {
  return JSON.stringify([name, kind, baseUrl, key?.secret, headers, stripPrefix]);
}

/** Those that a request in some dialect would find at the upstream that told of them, each once. */
function reachable(
  lists: readonly (readonly ModelEntry[])[],
  upstreams: readonly Upstream[],
): readonly ModelEntry[] {
  const routes = upstreams.map(({ models, dialects }) => ({
    hasModel: createModelMatcher(models),
    dialects,
  }));
  const found = new Map<string, ModelEntry>();
  for (const [index, models] of lists.entries()) {
    const own = routes[index]?.dialects ?? [];
    for (const model of models) {
      const isReached = own.some(
        (dialect) =>
          routes.findIndex((route) => route.dialects.includes(dialect) && route.hasModel(model.id)) === index,
      );
      if (isReached && !found.has(model.id)) found.set(model.id, model);
    }
  }
  return [...found.values()];
}
