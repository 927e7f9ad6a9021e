import {
  AggregatorRegistry,
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import { cacheNames, type Measurements } from '../core/measurements.ts';
import { productVersion } from '../package.ts';

export interface Metrics extends Measurements {
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
  /** All metrics in a form that can be sent to another process and added to its own. */
  snapshot(): Promise<MetricsSnapshot>;
}

/** Plain objects in prom-client's JSON format. */
export type MetricsSnapshot = readonly object[];

/** Bounds the number of series: each lives as long as the process and is sent with every scrape. */
const presetLabelsMax = 1_000;

/** Parentheses cannot occur in a slug. */
const otherPresets = '(others)';

/** In seconds, from 50 µs: presetd should add less than a millisecond. */
const overheadBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1];

/** In seconds: calls take from milliseconds to half an hour. */
const upstreamBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800];

/**
 * Creates the metrics of one server, in a registry of its own so that servers in one process, as in
 * tests, do not share counters. Several counters change for every request, so they are kept in
 * plain numbers and handed to prom-client only when scraped. Histograms change only with model
 * calls, which take much longer than the half microsecond of prom-client.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const presetLabel = createPresetLabel();
  const countRequest = createFastCounter({
    name: 'presetd_gateway_requests_total',
    help: `Gateway requests. Presets beyond the first ${presetLabelsMax} share preset="${otherPresets}".`,
    labelNames: ['dialect', 'preset', 'upstream', 'status'],
    registers,
  });
  const overhead = new Histogram({
    name: 'presetd_gateway_overhead_seconds',
    help: 'Time that presetd itself adds to a gateway request.',
    labelNames: [],
    buckets: overheadBuckets,
    registers,
  });
  const firstByte = new Histogram({
    name: 'presetd_gateway_first_byte_seconds',
    help: 'Time from calling an upstream to the first byte of its response.',
    labelNames: ['upstream'],
    buckets: upstreamBuckets,
    registers,
  });
  const upstreamTime = new Histogram({
    name: 'presetd_gateway_upstream_seconds',
    help: 'Time from calling an upstream to the end of its response.',
    labelNames: ['upstream'],
    buckets: upstreamBuckets,
    registers,
  });
  const countTokens = createFastCounter({
    name: 'presetd_gateway_tokens_total',
    help: 'Tokens, estimated where upstreams report none; direction is input or output.',
    labelNames: ['dialect', 'preset', 'upstream', 'direction'],
    registers,
  });
  const countFallback = createFastCounter({
    name: 'presetd_gateway_fallbacks_total',
    help: 'Fallbacks from an upstream to the next one, by reason.',
    labelNames: ['upstream', 'reason'],
    registers,
  });
  const countLookup = createFastCounter({
    name: 'presetd_cache_lookups_total',
    help: 'Cache lookups; a hit is returned at once, a miss waits for the source.',
    labelNames: ['cache', 'result'],
    registers,
  });
  // Series exist from the start, so that rates are right from the first lookup.
  for (const name of cacheNames) for (const result of ['hit', 'miss']) countLookup(0, name, result);
  const countHttpRequest = createFastCounter({
    name: 'presetd_http_requests_total',
    help: 'HTTP requests by method, route and status; route="" is an unknown path.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const countDroppedRecords = createFastCounter({
    name: 'presetd_usage_records_dropped_total',
    help: 'Records of calls that were lost, because too many were waiting for the database.',
    labelNames: [],
    registers,
  });
  const countDroppedContents = createFastCounter({
    name: 'presetd_content_log_dropped_total',
    help: 'Calls whose content was not logged, because too much was waiting or it could not be stored.',
    labelNames: [],
    registers,
  });
  const countShed = createFastCounter({
    name: 'presetd_http_requests_shed_total',
    help: 'Requests rejected with 503 by load shedding.',
    labelNames: [],
    registers,
  });
  new Gauge({
    name: 'presetd_build_info',
    help: 'Always 1; the labels identify the build.',
    labelNames: ['version', 'node_version'],
    aggregator: 'first',
    registers,
  }).set({ version: productVersion, node_version: process.version }, 1);

  return {
    gatewayRequest: ({ dialect, preset, upstream = '', status }) =>
      countRequest(1, dialect, presetLabel(preset), upstream, status),
    overhead: (seconds) => overhead.observe(seconds),
    upstreamTime({ upstream, firstByteSeconds, totalSeconds }) {
      if (firstByteSeconds !== undefined) firstByte.observe({ upstream }, firstByteSeconds);
      upstreamTime.observe({ upstream }, totalSeconds);
    },
    tokens({ dialect, preset, upstream, input, output }) {
      const label = presetLabel(preset);
      if (input !== null) countTokens(input, dialect, label, upstream, 'input');
      if (output !== null) countTokens(output, dialect, label, upstream, 'output');
    },
    fallback: ({ upstream, reason }) => countFallback(1, upstream, reason),
    cache: (name, isHit) => countLookup(1, name, isHit ? 'hit' : 'miss'),
    httpRequest: ({ method, route = '', status }) => countHttpRequest(1, method, route, status),
    droppedCallRecords: (count) => countDroppedRecords(count),
    droppedContents: (count) => countDroppedContents(count),
    shedRequest: () => countShed(1),
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}${await processRegistry().metrics()}`,
    snapshot: async () => [
      ...(await registry.getMetricsAsJSON()),
      ...(await processRegistry().getMetricsAsJSON()),
    ],
  };
}

/** The first presets seen get a label of their own, all later ones share `otherPresets`. */
function createPresetLabel(): (preset: string | undefined) => string {
  const names = new Set<string>(['']);
  return (preset = '') => {
    if (names.has(preset)) return preset;
    if (names.size > presetLabelsMax) return otherPresets;
    names.add(preset);
    return preset;
  };
}

/** A node in a tree of label values. Only leaves have a count, unless the metric has no labels. */
interface Series {
  readonly labels: readonly (string | number)[];
  /** Child nodes by the value of the next label. Empty for leaves. */
  readonly next: Map<string | number, Series>;
  count: number;
}

/**
 * A counter that is cheap to increment: 0.1 µs instead of 1.2. prom-client builds a string from the
 * labels for every increment; here nested maps lead to a plain number, which it reads when scraped.
 */
function createFastCounter(
  configuration: CounterConfiguration<string>,
): (count: number, ...labels: readonly (string | number)[]) => void {
  const root: Series = { labels: [], next: new Map(), count: 0 };
  new Counter({
    ...configuration,
    collect() {
      this.reset();
      // Without labels, the root is the only series.
      const leaves = configuration.labelNames?.length ? leavesUnder(root) : [root];
      for (const { labels, count } of leaves) this.labels(...labels.map(String)).inc(count);
    },
  });
  return (count, ...labels) => {
    let series = root;
    for (const label of labels) series = series.next.get(label) ?? addSeries(series, label);
    series.count += count;
  };
}

function addSeries({ labels, next }: Series, label: string | number): Series {
  const series = { labels: [...labels, label], next: new Map(), count: 0 };
  next.set(label, series);
  return series;
}

function leavesUnder({ next }: Series): readonly Series[] {
  return [...next.values()].flatMap((series) => (series.next.size === 0 ? [series] : leavesUnder(series)));
}

let processMetrics: Registry | undefined;

/**
 * Memory, CPU time, garbage collection and the like. These belong to the process, not to a server,
 * and their observers cannot be stopped. They start with the first scrape, so a server that is
 * never scraped does not pay for them.
 */
function processRegistry(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

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
    this.#retired = aggregate([this.#retired, this.#countersOf(worker)]).getMetricsAsArray();
    this.#latest.delete(worker);
  }

  /** The aggregated metrics in the Prometheus text format. */
  text(): Promise<string> {
    return aggregate([...this.#latest.values(), this.#retired]).metrics();
  }

  /** The metrics that only grow: counters and histograms. */
  #countersOf(worker: Worker): MetricsSnapshot {
    const latest = this.#latest.get(worker) ?? [];
    return latest.filter((metric) => !('type' in metric && metric.type === 'gauge'));
  }
}

/** Adds up the snapshots of several processes. */
function aggregate(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots.map((snapshot) => [...snapshot]));
}
