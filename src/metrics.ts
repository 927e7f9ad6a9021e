import {
  AggregatorRegistry,
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type Metric,
  Registry,
} from 'prom-client';
import { cacheNames, type Measurements } from './core/measurements.ts';
import { productVersion } from './product-version.ts';

export interface Metrics extends Measurements {
  readonly contentType: string;
  /** Everything that was measured so far, as Prometheus reads it. */
  text(): Promise<string>;
  /** The same in a form that can be sent and joined with that of other processes. */
  snapshot(): Promise<MetricsSnapshot>;
}

export type MetricsSnapshot = readonly object[];

/** What several processes measured, as if one had. */
export function renderMetrics(all: readonly MetricsSnapshot[]): Promise<string> {
  return aggregated(all).metrics();
}

/** The same in the form that it came in. */
export function sumMetrics(all: readonly MetricsSnapshot[]): MetricsSnapshot {
  return aggregated(all).getMetricsAsArray();
}

function aggregated(all: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate(all.map((parts) => [...parts]));
}

/** Those that only grow. */
export function withoutGauges(parts: MetricsSnapshot): MetricsSnapshot {
  return parts.filter((part) => !('type' in part && part.type === 'gauge'));
}

/** A series lives as long as the process and is sent at every scrape, so there must be an end to them. */
const presetNamesMax = 1_000;

/** No slug has parentheses. */
const otherPresets = '(others)';

/** From a twentieth of a millisecond: what presetd adds should be less than one. */
const overheadBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1];

/** Models take from a moment to half an hour. */
const upstreamBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const presetLabel = createPresetLabel();
  const countRequest = createTally({
    name: 'presetd_gateway_requests_total',
    help: `Requests to the gateway. Of more than ${presetNamesMax} presets, the later ones share preset="${otherPresets}".`,
    labelNames: ['dialect', 'preset', 'upstream', 'status'],
    registers,
  });
  const overhead = createTimes(registry, {
    name: 'presetd_gateway_overhead_seconds',
    help: 'Time that presetd itself added to a request to the gateway.',
    labelNames: [],
    buckets: overheadBuckets,
  });
  const firstByte = createTimes(registry, {
    name: 'presetd_gateway_first_byte_seconds',
    help: 'Time from the call of an upstream to the first byte of its answer.',
    labelNames: ['upstream'],
    buckets: upstreamBuckets,
  });
  const upstreamTime = createTimes(registry, {
    name: 'presetd_gateway_upstream_seconds',
    help: 'Time from the call of an upstream to the end of its answer.',
    labelNames: ['upstream'],
    buckets: upstreamBuckets,
  });
  const countTokens = createTally({
    name: 'presetd_gateway_tokens_total',
    help: 'Tokens as upstreams report them; direction is input or output.',
    labelNames: ['dialect', 'preset', 'upstream', 'direction'],
    registers,
  });
  const countFallback = createTally({
    name: 'presetd_gateway_fallbacks_total',
    help: 'How often an upstream was left for the next one, and why.',
    labelNames: ['upstream', 'reason'],
    registers,
  });
  const countLookup = createTally({
    name: 'presetd_cache_lookups_total',
    help: 'Look-ups in memory; a hit was answered at once, a miss had to wait for the source.',
    labelNames: ['cache', 'result'],
    registers,
  });
  for (const name of cacheNames) for (const result of ['hit', 'miss']) countLookup(0, name, result);
  const countHttpRequest = createTally({
    name: 'presetd_http_requests_total',
    help: 'Requests by method, route and status; route="" is a path that does not exist.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const countShed = createTally({
    name: 'presetd_http_requests_shed_total',
    help: 'Requests that were answered 503 at once, because there were more than could be served.',
    labelNames: [],
    registers,
  });
  new Gauge({
    name: 'presetd_build_info',
    help: 'Always 1; the labels tell what runs.',
    labelNames: ['version', 'node_version'],
    aggregator: 'first',
    registers,
  }).set({ version: productVersion, node_version: process.version }, 1);

  return {
    gatewayRequest: ({ dialect, preset, upstream = '', status }) =>
      countRequest(1, dialect, presetLabel(preset), upstream, status),
    overhead: (seconds) => overhead(seconds),
    upstreamTime({ upstream, firstByteSeconds, totalSeconds }) {
      if (firstByteSeconds !== undefined) firstByte(firstByteSeconds, upstream);
      upstreamTime(totalSeconds, upstream);
    },
    tokens({ dialect, preset, upstream, inputTokens, outputTokens }) {
      const label = presetLabel(preset);
      if (isCount(inputTokens)) countTokens(inputTokens, dialect, label, upstream, 'input');
      if (isCount(outputTokens)) countTokens(outputTokens, dialect, label, upstream, 'output');
    },
    fallback: ({ upstream, reason }) => countFallback(1, upstream, reason),
    cache: (name, isHit) => countLookup(1, name, isHit ? 'hit' : 'miss'),
    httpRequest: ({ method, route = '', status }) => countHttpRequest(1, method, route, status),
    shedRequest: () => countShed(1),
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}${await processRegistry().metrics()}`,
    snapshot: async () => [
      ...(await registry.getMetricsAsJSON()),
      ...(await processRegistry().getMetricsAsJSON()),
    ],
  };
}

function createPresetLabel(): (preset: string | undefined) => string {
  const names = new Set<string>(['']);
  return (preset = '') => {
    if (names.has(preset)) return preset;
    if (names.size > presetNamesMax) return otherPresets;
    names.add(preset);
    return preset;
  };
}

interface Series {
  readonly labels: readonly (string | number)[];
  /** By the next label; those that have all their labels have none. */
  readonly next: Map<string | number, Series>;
  count: number;
}

/**
 * A counter that is cheap to add to: several are, for every request. prom-client would make a text of the labels each
 * time; here they lead through maps to a plain number, and prom-client gets it when somebody asks.
 */
function createTally(
  configuration: CounterConfiguration<string>,
): (count: number, ...labels: readonly (string | number)[]) => void {
  const root: Series = { labels: [], next: new Map(), count: 0 };
  new Counter({
    ...configuration,
    collect() {
      this.reset();
      // Where there are no labels, the root is the one series.
      const all = configuration.labelNames?.length ? seriesUnder(root) : [root];
      for (const { labels, count } of all) this.labels(...labels.map(String)).inc(count);
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

function seriesUnder({ next }: Series): readonly Series[] {
  return [...next.values()].flatMap((series) => (series.next.size === 0 ? [series] : seriesUnder(series)));
}

interface TimesConfiguration {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly buckets: readonly number[];
}

interface Times {
  readonly labels: readonly string[];
  /** How many were in each bucket, and above all of them. */
  readonly counts: number[];
  sum: number;
}

/** A histogram that is cheap to add to, for the same reason; prom-client only writes it down. */
function createTimes(
  registry: Registry,
  { name, help, labelNames, buckets }: TimesConfiguration,
): (seconds: number, ...labels: readonly string[]) => void {
  const known = new Map<string, Times>();
  const timesOf = (labels: readonly string[]) => {
    const times = { labels, counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 };
    known.set(labels[0] ?? '', times);
    return times;
  };
  if (labelNames.length === 0) timesOf([]);
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum' as const,
    values: [...known.values()].flatMap((times) => written(name, labelNames, buckets, times)),
  });
  registry.registerMetric({ name, get, reset: () => known.clear() } as unknown as Metric);
  return (seconds, ...labels) => {
    const times = known.get(labels[0] ?? '') ?? timesOf(labels);
    let bucket = 0;
    while (bucket < buckets.length && seconds > Number(buckets[bucket])) bucket += 1;
    times.counts[bucket] = (times.counts[bucket] ?? 0) + 1;
    times.sum += seconds;
  };
}

/** Prometheus wants in each bucket what is in those below it, too. */
function written(
  name: string,
  labelNames: readonly string[],
  buckets: readonly number[],
  { labels: given, counts, sum }: Times,
): { metricName: string; labels: Record<string, string | number>; value: number }[] {
  const labels = Object.fromEntries(labelNames.map((label, index) => [label, given[index] ?? '']));
  let count = 0;
  const below = counts.map((inBucket, index) => {
    count += inBucket;
    return {
      metricName: `${name}_bucket`,
      labels: { le: buckets[index] ?? '+Inf', ...labels },
      value: count,
    };
  });
  return [
    ...below,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** An upstream may report anything, and a counter throws at what it cannot add. */
function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

let ofProcess: Registry | undefined;

/**
 * Memory, processor time, garbage collection and the like. They are the process's and not a server's, and what watches
 * them cannot be stopped again: it is started once, by the first who asks, so that nobody else pays for it.
 */
function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}
