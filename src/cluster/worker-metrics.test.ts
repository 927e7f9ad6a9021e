import { expect, it } from 'vitest';
import type { MetricsSnapshot } from '../observability/metrics.ts';
import { WorkerMetrics } from './worker-metrics.ts';

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
