import { addMetrics, countersOf, joinMetrics, type MetricParts } from '../metrics.ts';

/**
 * What the workers measured, as if one process had. What those counted that are gone stays in the sums: one that falls
 * would look like a server that was started anew, which counted all of the rest at once.
 */
export class WorkerMetrics<Worker> {
  readonly #latest = new Map<Worker, MetricParts>();
  #ofGone: MetricParts = [];

  /** What a worker said when it was asked; undefined where it did not. */
  hear(worker: Worker, parts: MetricParts | undefined): void {
    this.#latest.set(worker, parts ?? this.#countedBy(worker));
  }

  end(worker: Worker): void {
    this.#ofGone = addMetrics([this.#ofGone, this.#countedBy(worker)]);
    this.#latest.delete(worker);
  }

  text(): Promise<string> {
    return joinMetrics([...this.#latest.values(), this.#ofGone]);
  }

  #countedBy(worker: Worker): MetricParts {
    return countersOf(this.#latest.get(worker) ?? []);
  }
}
