import type { Upstream } from '../upstreams/upstream.ts';
import { type ModelEntry, toModelEntry } from './model-entry.ts';

/** A list that is older is asked for again, and answered until the new one is there. */
const freshMs = 5 * 60_000;

/** An upstream that did not answer is left alone this long. */
const restMs = 30_000;

export interface UpstreamModelsOptions {
  readonly fetch: (upstream: Upstream) => Promise<readonly unknown[]>;
  readonly warn: (fields: object, message: string) => void;
  readonly now?: () => number;
}

/** What is known of the models of one upstream. */
export class UpstreamModels {
  readonly #upstream: Upstream;
  readonly #options: Required<UpstreamModelsOptions>;
  #models: readonly ModelEntry[] | undefined;
  #loading: Promise<readonly ModelEntry[]> | undefined;
  #heardAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(upstream: Upstream, { fetch, warn, now = () => performance.now() }: UpstreamModelsOptions) {
    this.#upstream = upstream;
    this.#options = { fetch, warn, now };
  }

  /** At once where it was ever heard of them, or lately not. Never rejects. */
  get(): readonly ModelEntry[] | Promise<readonly ModelEntry[]> {
    const at = this.#options.now();
    const isDue = at - this.#heardAt >= freshMs && at - this.#failedAt >= restMs;
    if (isDue) this.#loading ??= this.#load();
    return this.#models ?? this.#loading ?? [];
  }

  async #load(): Promise<readonly ModelEntry[]> {
    const { fetch, warn, now } = this.#options;
    try {
      const given = await fetch(this.#upstream);
      this.#models = given.flatMap((model) => toModelEntry(model, this.#upstream) ?? []);
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
