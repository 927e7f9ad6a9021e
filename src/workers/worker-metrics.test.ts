import { expect, it } from 'vitest';
import type { MetricsSnapshot } from '../metrics.ts';
import { WorkerMetrics } from './worker-metrics.ts';

/** Of a worker that has answered so many requests, and has so many open. */
function parts(answered: number, open: number): MetricsSnapshot {
  const metric = (name: string, type: string, value: number) => ({
    name,
    help: 'of a test',
    type,
    aggregator: 'sum',
    values: [{ labels: { route: '/' }, value }],
  });
  return [
    metric('answered', 'counter', answered),
    metric('seconds', 'histogram', answered),
    metric('open', 'gauge', open),
  ];
}

async function sums(metrics: WorkerMetrics<string>): Promise<readonly number[]> {
  const text = await metrics.text();
  return ['answered', 'seconds', 'open'].map((name) =>
    Number(new RegExp(`^${name}{route="/"} (\\d+)$`, 'm').exec(text)?.[1]),
  );
}

it('of a worker that does not answer, or is gone, what it counted stays and what it was like does not', async () => {
  const metrics = new WorkerMetrics<string>();
  metrics.update('one', parts(20, 2));
  metrics.update('other', parts(10, 1));
  expect(await sums(metrics)).toEqual([30, 30, 3]);
  metrics.update('one', undefined);
  expect(await sums(metrics)).toEqual([30, 30, 1]);
  metrics.update('one', parts(21, 2));
  metrics.retire('one');
  expect(await sums(metrics)).toEqual([31, 31, 1]);
  metrics.update('next', undefined);
  metrics.update('next', parts(5, 4));
  metrics.retire('other');
  expect(await sums(metrics)).toEqual([36, 36, 4]);
  metrics.retire('never asked');
  metrics.retire('next');
  expect(await sums(metrics)).toEqual([36, 36, Number.NaN]);
});
