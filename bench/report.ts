import type { Row } from './measure.ts';
import type { GatewayRow } from './measure-gateway.ts';
import type { LatencyRow } from './measure-gateway-latency.ts';
import type { MemoryRow } from './measure-gateway-memory.ts';
import type { WorkersRow } from './measure-workers.ts';
import type { ScaleRow } from './scale/measure-scale.ts';

/** What a benchmark found out, for people and for programs. Rows with the same columns stand in one table. */
export interface Figures {
  readonly columns: readonly string[];
  readonly cells: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

export function jsonLine({ values }: Figures): string {
  return `${JSON.stringify(values)}\n`;
}

export function tables(all: readonly Figures[]): string {
  const byColumns = Map.groupBy(all, ({ columns }) => columns.join());
  return [...byColumns.values()]
    .map((rows) => [rows[0]?.columns ?? [], ...rows.map(({ cells }) => cells)])
    .map((lines) => lines.map((cells) => `${align(cells)}\n`).join(''))
    .join('\n');
}

export function figuresOf({ name, rps, bareRps, ratio, p50Ms, p99Ms }: Row): Figures {
  return {
    columns: ['benchmark', 'requests/s', 'bare', 'ratio', 'p50 ms', 'p99 ms'],
    cells: [name, rps.toFixed(0), bareRps.toFixed(0), ratio.toFixed(2), p50Ms.toFixed(2), p99Ms.toFixed(2)],
    values: {
      name,
      rps: Math.round(rps),
      bareRps: Math.round(bareRps),
      ratio: rounded(ratio, 3),
      p50Ms: rounded(p50Ms, 2),
      p99Ms: rounded(p99Ms, 2),
    },
  };
}

export function gatewayFigures(row: GatewayRow): Figures {
  const { name, rps, bareRps, ratio, portkeyRps, portkeyRatio, p50Ms, p99Ms } = row;
  return {
    columns: ['benchmark', 'requests/s', 'bare', 'ratio', 'portkey', 'ratio', 'p50 ms', 'p99 ms'],
    cells: [
      name,
      rps.toFixed(0),
      bareRps.toFixed(0),
      ratio.toFixed(2),
      portkeyRps.toFixed(0),
      portkeyRatio.toFixed(2),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
    ],
    values: {
      name,
      rps: Math.round(rps),
      bareRps: Math.round(bareRps),
      ratio: rounded(ratio, 3),
      portkeyRps: Math.round(portkeyRps),
      portkeyRatio: rounded(portkeyRatio, 3),
      p50Ms: rounded(p50Ms, 2),
      p99Ms: rounded(p99Ms, 2),
    },
  };
}

export function latencyFigures({ name, p50Ms, bareP50Ms, addedP50Ms }: LatencyRow): Figures {
  return {
    columns: ['benchmark', 'p50 ms', 'bare', 'added'],
    cells: [name, p50Ms.toFixed(3), bareP50Ms.toFixed(3), addedP50Ms.toFixed(3)],
    values: {
      name,
      p50Ms: rounded(p50Ms, 3),
      bareP50Ms: rounded(bareP50Ms, 3),
      addedP50Ms: rounded(addedP50Ms, 3),
    },
  };
}

export function workersFigures(row: WorkersRow): Figures {
  const { name, workers, oneRps, allRps, ratio, oneCpuMicroseconds, allCpuMicroseconds, cpuRatio, p99Ms } =
    row;
  return {
    columns: [
      'benchmark',
      'workers',
      'one req/s',
      'all req/s',
      'ratio',
      'one CPU µs',
      'all CPU µs',
      'cores',
      'p99 ms',
    ],
    cells: [
      name,
      String(workers),
      oneRps.toFixed(0),
      allRps.toFixed(0),
      ratio.toFixed(2),
      oneCpuMicroseconds.toFixed(0),
      allCpuMicroseconds.toFixed(0),
      cpuRatio.toFixed(2),
      p99Ms.toFixed(2),
    ],
    values: {
      name,
      workers,
      oneRps: Math.round(oneRps),
      allRps: Math.round(allRps),
      ratio: rounded(ratio, 3),
      oneCpuMicroseconds: rounded(oneCpuMicroseconds, 1),
      allCpuMicroseconds: rounded(allCpuMicroseconds, 1),
      cpuRatio: rounded(cpuRatio, 3),
      p99Ms: rounded(p99Ms, 2),
    },
  };
}

/** Memory goes up until it is collected, so only the heights that it comes to can be compared, not two moments. */
export function memoryFigures({ name, requestCount, residentMiB }: MemoryRow): Figures {
  const [before = Number.NaN, ...samples] = residentMiB;
  const highest = (part: readonly number[]) => Math.max(...part);
  const firstHalf = highest(samples.slice(0, samples.length / 2));
  const secondHalf = highest(samples.slice(samples.length / 2));
  return {
    columns: ['benchmark', 'requests', 'MiB before', '1st half', '2nd half', 'growth'],
    cells: [
      name,
      String(requestCount),
      before.toFixed(1),
      firstHalf.toFixed(1),
      secondHalf.toFixed(1),
      (secondHalf - firstHalf).toFixed(1),
    ],
    values: {
      name,
      requestCount,
      growthMiB: rounded(secondHalf - firstHalf, 1),
      residentMiB: residentMiB.map((value) => rounded(value, 1)),
    },
  };
}

export function scaleFigures(row: ScaleRow): Figures {
  const { engine, operation, smallMs, largeMs, ratio, ratioQuarters, processorRatio } = row;
  const name = `${operation.name}-${engine}`;
  const [low, high] = ratioQuarters;
  return {
    columns: ['benchmark', 'small ms', 'large ms', 'ratio', 'half from', 'to', 'processor'],
    cells: [
      ...[name, smallMs.toFixed(3), largeMs.toFixed(3)],
      ...[ratio.toFixed(2), low.toFixed(2), high.toFixed(2), processorRatio.toFixed(2)],
    ],
    values: {
      name,
      smallMs: rounded(smallMs, 4),
      largeMs: rounded(largeMs, 4),
      ratio: rounded(ratio, 3),
      ratioQuarters: ratioQuarters.map((value) => rounded(value, 3)),
      processorRatio: rounded(processorRatio, 3),
    },
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function align([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(24) + figures.map((figure) => figure.padStart(11)).join('');
}
