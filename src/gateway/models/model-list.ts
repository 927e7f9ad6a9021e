import { createModelMatcher } from '../plan/router.ts';
import type { GatewaySettings, Upstream } from '../upstreams/upstream.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';
import { type ModelEntry, toModelEntry } from './model-entry.ts';

interface ModelListOptions {
  readonly settings: () => GatewaySettings;
  readonly fetch: (upstream: Upstream) => Promise<readonly unknown[]>;
  readonly warn: (fields: object, message: string) => void;
  /** Called per upstream and listing. A hit did not wait for the upstream. */
  readonly observe: (isHit: boolean) => void;
  readonly now?: () => number;
}

/**
 * The models of all upstreams, for `GET /api/v1/models` and what belongs to it. Never rejects: an
 * upstream whose models are not known is left out. It only waits for upstreams that were never
 * listed before.
 */
export interface ModelList {
  /** Each model once, in the order of the upstreams. */
  all(): Promise<readonly ModelEntry[]>;
  /** The model at each upstream that calls to it can go to; empty if no upstream lists it. */
  find(id: string): Promise<readonly ServedModel[]>;
}

/** A model at one of the upstreams that calls to it can go to. */
export interface ServedModel {
  readonly model: ModelEntry;
  readonly upstream: Upstream;
}

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

  async function select(isWanted: (model: ModelEntry) => boolean): Promise<readonly ServedModel[]> {
    const { upstreams } = settings();
    const identities = new Set(upstreams.map(identityOf));
    for (const identity of caches.keys()) if (!identities.has(identity)) caches.delete(identity);
    const lists = await Promise.all(
      upstreams.map(async (upstream) =>
        (await modelsOf(upstream)).filter(isWanted).map((model) => ({ model, upstream })),
      ),
    );
    return lists.flat().filter(createRoutableFilter(upstreams));
  }

  return {
    async all() {
      const served = await select(() => true);
      const byId = new Map<string, ModelEntry>();
      for (const { model } of served) if (!byId.has(model.id)) byId.set(model.id, model);
      return [...byId.values()];
    },
    async find(id) {
      const served = await select((model) => model.id === id);
      // An upstream may list a model twice.
      return served.filter(({ upstream }, index) => upstream !== served[index - 1]?.upstream);
    },
  };
}

/** The settings that a model list depends on. A reload that changes others keeps the cache. */
function identityOf({ name, kind, baseUrl, key, headers, stripPrefix, models }: Upstream): string {
  const listed = kinds[kind].modelList === undefined ? models : [];
  return JSON.stringify([name, kind, baseUrl, key?.secret, headers, stripPrefix, listed]);
}

/**
 * Keeps the models that a request in at least one dialect would be routed to the listing upstream
 * for; requests for any other go to an earlier upstream.
 */
function createRoutableFilter(upstreams: readonly Upstream[]): (served: ServedModel) => boolean {
  const routes = upstreams.map((upstream) => ({ upstream, hasModel: createModelMatcher(upstream.models) }));
  return ({ model, upstream }) =>
    upstream.dialects.some(
      (dialect) =>
        routes.find((route) => route.upstream.dialects.includes(dialect) && route.hasModel(model.id))
          ?.upstream === upstream,
    );
}

/** After this, the list is stale: it is still served, but refreshed in the background. */
const freshMs = 5 * 60_000;

/** Wait after a failed fetch, so that an upstream that is down does not slow down every listing. */
const retryDelayMs = 30_000;

/**
 * Caches the model list of one upstream.
 *
 * The model list creates one per upstream and drops it when a reload changes what the list depends
 * on. The first `get` fetches the list and returns a promise. Later ones return the cached list at
 * once and refresh it in the background when it is stale (stale-while-revalidate). At most one
 * fetch runs at a time. After a failed fetch, the cached list stays; if there is none, the list is
 * empty until a retry.
 */
class UpstreamModels {
  readonly #upstream: Upstream;
  readonly #options: Required<Omit<ModelListOptions, 'settings' | 'observe'>>;
  #models: readonly ModelEntry[] | undefined;
  #loading: Promise<readonly ModelEntry[]> | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(upstream: Upstream, { fetch, warn, now = () => performance.now() }: ModelListOptions) {
    this.#upstream = upstream;
    this.#options = { fetch, warn, now };
  }

  /** Returns a promise only while nothing is cached and a fetch is running. Never rejects. */
  get(): readonly ModelEntry[] | Promise<readonly ModelEntry[]> {
    const at = this.#options.now();
    const isDue = at - this.#loadedAt >= freshMs && at - this.#failedAt >= retryDelayMs;
    if (isDue) this.#loading ??= this.#load();
    return this.#models ?? this.#loading ?? [];
  }

  async #load(): Promise<readonly ModelEntry[]> {
    const { fetch, warn, now } = this.#options;
    try {
      const models = await fetch(this.#upstream);
      this.#models = models.flatMap((model) => toModelEntry(model, this.#upstream) ?? []);
      this.#loadedAt = now();
    } catch (error) {
      this.#failedAt = now();
      const { name } = this.#upstream;
      const reason = error instanceof Error ? error.message : String(error);
      warn({ upstream: name }, `cannot list the models of upstream ${name}: ${reason}`);
    } finally {
      this.#loading = undefined;
    }
    return this.#models ?? [];
  }
}
