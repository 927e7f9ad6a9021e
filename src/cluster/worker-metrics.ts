import { type MetricsSnapshot, renderMetrics, sumMetrics, withoutGauges } from '../observability/metrics.ts';

/**
 * Aggregates the metrics of all workers, as if one process had measured everything.
 *
 * The supervisor updates it before each scrape with what every worker reports. Counters of a worker
 * that does not respond or has exited stay in the sums: a counter that drops would look like a
 * restart, and Prometheus would count the remaining total as new. Gauges describe a running
 * process, so those of such workers are left out.
 */
export class WorkerMetrics<Worker> {
  readonly #latest = new Map<Worker, MetricsSnapshot>();
  /** The summed counters of all workers that have exited. */
  #retired: MetricsSnapshot = [];

  /** Stores what a worker reported; undefined if it did not respond. */
  update(worker: Worker, snapshot: MetricsSnapshot | undefined): void {
    this.#latest.set(worker, snapshot ?? this.#countersOf(worker));
  }

  /** Keeps the counters of a worker that has exited. */
  retire(worker: Worker): void {
    this.#retired = sumMetrics([this.#retired, this.#countersOf(worker)]);
    this.#latest.delete(worker);
  }

  /** The aggregated metrics in the Prometheus text format. */
  text(): Promise<string> {
    return renderMetrics([...this.#latest.values(), this.#retired]);
  }

  #countersOf(worker: Worker): MetricsSnapshot {
    return withoutGauges(this.#latest.get(worker) ?? []);
  }
}
