import { describe, expect, it } from 'vitest';
import { productVersion } from '../package.ts';
import { createMetrics, type Metrics, type MetricsSnapshot, WorkerMetrics } from './metrics.ts';

const request = { dialect: 'messages', preset: 'support', upstream: 'anthropic', status: 200 } as const;

describe('createMetrics', () => {
  it('gateway requests are counted by dialect, preset, upstream and status', async () => {
    const metrics = createMetrics();
    metrics.gatewayRequest(request);
    metrics.gatewayRequest(request);
    metrics.gatewayRequest({ ...request, preset: undefined, upstream: undefined, status: 404 });
    expect(await linesOf(metrics, 'presetd_gateway_requests_total')).toEqual([
      '{dialect="messages",preset="support",upstream="anthropic",status="200"} 2',
      '{dialect="messages",preset="",upstream="",status="404"} 1',
    ]);
  });

  it('the first 1,000 presets have their own series and all others share one', async () => {
    const metrics = createMetrics();
    metrics.gatewayRequest({ ...request, preset: undefined });
    for (const round of [1, 2]) {
      for (let index = 0; index < 1_100; index += 1) {
        metrics.gatewayRequest({ ...request, preset: `preset-${index}` });
        metrics.tokens({ ...request, preset: `preset-${index}`, input: round, output: null });
      }
    }
    const requests = await linesOf(metrics, 'presetd_gateway_requests_total');
    expect(requests.length).toBe(1_002);
    expect(requests.filter((line) => line.includes('preset="preset-999"'))).toEqual([
      '{dialect="messages",preset="preset-999",upstream="anthropic",status="200"} 2',
    ]);
    expect(requests.at(-1)).toBe(
      '{dialect="messages",preset="(others)",upstream="anthropic",status="200"} 200',
    );
    expect((await linesOf(metrics, 'presetd_gateway_tokens_total')).at(-1)).toBe(
      '{dialect="messages",preset="(others)",upstream="anthropic",direction="input"} 300',
    );
  });

  it('the overhead of presetd and the time of upstreams are measured', async () => {
    const metrics = createMetrics();
    metrics.overhead(0.0002);
    metrics.overhead(2);
    metrics.upstreamTime({ upstream: 'local', firstByteSeconds: 0.3, totalSeconds: 40 });
    metrics.upstreamTime({ upstream: 'local', firstByteSeconds: undefined, totalSeconds: 1 });
    expect(await linesOf(metrics, 'presetd_gateway_overhead_seconds_bucket')).toEqual(
      expect.arrayContaining(['{le="0.0001"} 0', '{le="0.00025"} 1', '{le="1"} 1', '{le="+Inf"} 2']),
    );
    expect(await linesOf(metrics, 'presetd_gateway_overhead_seconds_sum')).toEqual([' 2.0002']);
    expect(await linesOf(metrics, 'presetd_gateway_first_byte_seconds_count')).toEqual([
      '{upstream="local"} 1',
    ]);
    expect(await linesOf(metrics, 'presetd_gateway_upstream_seconds_sum')).toEqual(['{upstream="local"} 41']);
  });

  it('tokens are counted where they are known', async () => {
    const metrics = createMetrics();
    metrics.tokens({ ...request, input: 12, output: 3 });
    metrics.tokens({ ...request, input: null, output: 4 });
    expect(await linesOf(metrics, 'presetd_gateway_tokens_total')).toEqual([
      '{dialect="messages",preset="support",upstream="anthropic",direction="input"} 12',
      '{dialect="messages",preset="support",upstream="anthropic",direction="output"} 7',
    ]);
  });

  it('fallbacks, HTTP requests and cache lookups are counted', async () => {
    const metrics = createMetrics();
    metrics.fallback({ upstream: 'local', reason: 'timeout' });
    metrics.httpRequest({ method: 'GET', route: '/api/v1/presets/:slug', status: 200 });
    metrics.httpRequest({ method: 'GET', route: undefined, status: 404 });
    metrics.cache('presets', true);
    metrics.cache('presets', true);
    metrics.cache('keys', false);
    expect(await linesOf(metrics, 'presetd_gateway_fallbacks_total')).toEqual([
      '{upstream="local",reason="timeout"} 1',
    ]);
    expect(await linesOf(metrics, 'presetd_http_requests_total')).toEqual([
      '{method="GET",route="/api/v1/presets/:slug",status="200"} 1',
      '{method="GET",route="",status="404"} 1',
    ]);
    for (const _scrape of [1, 2]) {
      expect(await linesOf(metrics, 'presetd_cache_lookups_total')).toEqual(
        expect.arrayContaining([
          '{cache="presets",result="hit"} 2',
          '{cache="presets",result="miss"} 0',
          '{cache="keys",result="miss"} 1',
        ]),
      );
    }
  });

  it('metrics identify the build and describe the process', async () => {
    const metrics = createMetrics();
    expect(await linesOf(metrics, 'presetd_build_info')).toEqual([
      `{version="${productVersion}",node_version="${process.version}"} 1`,
    ]);
    expect(await linesOf(metrics, 'process_resident_memory_bytes')).toHaveLength(1);
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  it('two servers in one process do not share counters', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.fallback({ upstream: 'local', reason: '429' });
    expect(await linesOf(other, 'presetd_gateway_fallbacks_total')).toEqual([]);
  });

  it('every line of the metrics text is a comment or a sample', async () => {
    const metrics = createMetrics();
    metrics.gatewayRequest(request);
    metrics.fallback({ upstream: 'a "quoted"\nname\\', reason: '500' });
    const lines = (await metrics.text()).split('\n').filter((line) => line !== '');
    const wrong = lines.filter(
      (line) =>
        !/^# (HELP|TYPE) \S+ .+$/.test(line) &&
        !/^[a-z_0-9]+(\{([a-z_]+="(\\.|[^"\\])*",?)+\})? \S+$/.test(line),
    );
    expect(wrong).toEqual([]);
  });
});

/** The samples of one metric, without its name. */
async function linesOf(metrics: Metrics, name: string): Promise<readonly string[]> {
  const lines = (await metrics.text()).split('\n');
  return lines
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => line.slice(name.length));
}

/** A snapshot of a worker with this many finished and open requests. */
function snapshot(finished: number, open: number): MetricsSnapshot {
  const metric = (name: string, type: string, value: number) => ({
    name,
    help: 'for a test',
    type,
    aggregator: 'sum',
    values: [{ labels: { route: '/' }, value }],
  });
  return [
    metric('finished', 'counter', finished),
    metric('seconds', 'histogram', finished),
    metric('open', 'gauge', open),
  ];
}

async function sums(metrics: WorkerMetrics<string>): Promise<readonly number[]> {
  const text = await metrics.text();
  return ['finished', 'seconds', 'open'].map((name) =>
    Number(new RegExp(`^${name}{route="/"} (\\d+)$`, 'm').exec(text)?.[1]),
  );
}

it('counters of a worker that does not respond or has exited stay in the sums, its gauges do not', async () => {
  const metrics = new WorkerMetrics<string>();
  metrics.update('one', snapshot(20, 2));
  metrics.update('other', snapshot(10, 1));
  expect(await sums(metrics)).toEqual([30, 30, 3]);
  metrics.update('one', undefined);
  expect(await sums(metrics)).toEqual([30, 30, 1]);
  metrics.update('one', snapshot(21, 2));
  metrics.retire('one');
  expect(await sums(metrics)).toEqual([31, 31, 1]);
  metrics.update('next', undefined);
  metrics.update('next', snapshot(5, 4));
  metrics.retire('other');
  expect(await sums(metrics)).toEqual([36, 36, 4]);
  metrics.retire('never updated');
  metrics.retire('next');
  expect(await sums(metrics)).toEqual([36, 36, Number.NaN]);
});
