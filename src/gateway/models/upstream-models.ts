import type { Upstream } from '../upstreams/upstream.ts';
import { type ModelEntry, toModelEntry } from './model-entry.ts';

/** After this, the list is stale: it is still served, but refreshed in the background. */
const freshMs = 5 * 60_000;

/** Wait after a failed fetch, so that an upstream that is down does not slow down every listing. */
const retryDelayMs = 30_000;

export interface UpstreamModelsOptions {
  readonly fetch: (upstream: Upstream) => Promise<readonly unknown[]>;
  readonly warn: (fields: object, message: string) => void;
  readonly now?: () => number;
}

/**
 * Caches the model list of one upstream.
 *
 * The model list creates one per upstream and drops it when a reload changes what the list depends
 * on. The first `get` fetches the list and returns a promise. Later ones return the cached list at
 * once and refresh it in the background when it is stale (stale-while-revalidate). At most one
 * fetch runs at a time. After a failed fetch, the cached list stays; if there is none, the list is
 * empty until a retry.
 */
export class UpstreamModels {
  readonly #upstream: Upstream;
  readonly #options: Required<UpstreamModelsOptions>;
  #models: readonly ModelEntry[] | undefined;
  #loading: Promise<readonly ModelEntry[]> | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(upstream: Upstream, { fetch, warn, now = () => performance.now() }: UpstreamModelsOptions) {
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
