import { type MetricsSnapshot, renderMetrics, sumMetrics, withoutGauges } from '../metrics.ts';

/**
 * What the workers measured, as if one process had. What those counted that are gone stays in the sums: one that falls
 * would look like a server that was started anew, which counted all of the rest at once.
 */
export class WorkerMetrics<Worker> {
  readonly #latest = new Map<Worker, MetricsSnapshot>();
  #ofGone: MetricsSnapshot = [];

  /** What a worker said when it was asked; undefined where it did not. */
  update(worker: Worker, parts: MetricsSnapshot | undefined): void {
    this.#latest.set(worker, parts ?? this.#countedBy(worker));
  }

  retire(worker: Worker): void {
    this.#ofGone = sumMetrics([this.#ofGone, this.#countedBy(worker)]);
    this.#latest.delete(worker);
  }

  text(): Promise<string> {
    return renderMetrics([...this.#latest.values(), this.#ofGone]);
  }

  #countedBy(worker: Worker): MetricsSnapshot {
    return withoutGauges(this.#latest.get(worker) ?? []);
  }
}
