import type { Comparison, PeerFigures } from './compare.ts';
import type { LatencyRow } from './measure-gateway-latency.ts';
import type { MemoryRow } from './measure-gateway-memory.ts';
import type { ScaleRow } from './scale/measure-scale.ts';

/** What a benchmark found out, for people and for programs. Rows with the same columns stand in one table. */
export interface Figures {
  readonly columns: readonly string[];
  readonly cells: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  /** Says which aim was missed; undefined where all were met, or there is none. */
  readonly failure?: string | undefined;
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

/**
 * presetd beside others. Processor time per request decides, because throughput swings with whatever else the machine
 * does; where the system does not count processor time, nothing is decided.
 */
export function comparisonFigures(
  { name, subject, beside }: Comparison,
  aims: Readonly<Record<string, number>> = {},
): Figures {
  const others = Object.entries(beside).map(([label, figures]) => ({ label, ...figures, aim: aims[label] }));
  const missed = others.filter(({ cpuRatio, aim = 0 }) => cpuRatio < aim);
  return {
    columns: [
      'benchmark',
      'CPU µs',
      ...others.flatMap(({ label }) => [label, 'ratio', 'aim']),
      'requests/s',
      ...others.flatMap(({ label }) => [label, 'ratio']),
      'p50 ms',
      'p99 ms',
    ],
    cells: [
      name,
      subject.cpuMicroseconds.toFixed(1),
      ...others.flatMap(({ cpuMicroseconds, cpuRatio, aim = '' }) => [
        cpuMicroseconds.toFixed(1),
        cpuRatio.toFixed(2),
        String(aim),
      ]),
      subject.rps.toFixed(0),
      ...others.flatMap(({ rps, throughputRatio }) => [rps.toFixed(0), throughputRatio.toFixed(2)]),
      subject.p50Ms.toFixed(2),
      subject.p99Ms.toFixed(2),
    ],
    values: {
      name,
      ...valuesOf(subject),
      ...Object.fromEntries(
        others.map(({ label, cpuRatio, throughputRatio, aim, ...figures }) => {
          const ratios = { cpuRatio: rounded(cpuRatio, 3), throughputRatio: rounded(throughputRatio, 3) };
          return [label, { ...valuesOf(figures), ...ratios, aim }];
        }),
      ),
    },
    failure:
      missed.length === 0
        ? undefined
        : `${name} misses its aim: ${missed
            .map(
              ({ label, cpuRatio, aim }) => `${label} ${cpuRatio.toFixed(2)}, and at least ${aim} is wanted`,
            )
            .join('; ')}.`,
  };
}

function valuesOf({ rps, cpuMicroseconds, p50Ms, p99Ms }: PeerFigures) {
  return {
    cpuMicroseconds: rounded(cpuMicroseconds, 1),
    rps: Math.round(rps),
    p50Ms: rounded(p50Ms, 2),
    p99Ms: rounded(p99Ms, 2),
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
