import type { Upstream } from '../upstreams/upstream.ts';
import { type ListedModel, listedModel } from './listed-model.ts';

/** A list that is older is asked for again, and answered until the new one is there. */
const freshMs = 5 * 60_000;

/** An upstream that did not answer is left alone this long. */
const restMs = 30_000;

export interface KnownModelsOptions {
  readonly fetch: (upstream: Upstream) => Promise<readonly unknown[]>;
  readonly warn: (fields: object, message: string) => void;
  readonly now?: () => number;
}

/** What is known of the models of one upstream. */
export class KnownModels {
  readonly #upstream: Upstream;
  readonly #options: Required<KnownModelsOptions>;
  #models: readonly ListedModel[] | undefined;
  #loading: Promise<readonly ListedModel[]> | undefined;
  #heardAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(upstream: Upstream, { fetch, warn, now = () => performance.now() }: KnownModelsOptions) {
    this.#upstream = upstream;
    this.#options = { fetch, warn, now };
  }

  /** At once where it was ever heard of them, or lately not. Never rejects. */
  get(): readonly ListedModel[] | Promise<readonly ListedModel[]> {
    const at = this.#options.now();
    const isDue = at - this.#heardAt >= freshMs && at - this.#failedAt >= restMs;
    if (isDue) this.#loading ??= this.#load();
    return this.#models ?? this.#loading ?? [];
  }

  async #load(): Promise<readonly ListedModel[]> {
    const { fetch, warn, now } = this.#options;
    try {
      const given = await fetch(this.#upstream);
      this.#models = given.flatMap((model) => listedModel(model, this.#upstream) ?? []);
      this.#heardAt = now();
    } catch (error) {
      this.#failedAt = now();
      const { name } = this.#upstream;
      const reason = error instanceof Error ? error.message : String(error);
      warn({ upstream: name }, `the models of the upstream ${name} cannot be listed: ${reason}`);
    } finally {
      this.#loading = undefined;
    }
    return this.#models ?? [];
  }
}
