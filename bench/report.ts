import type { Comparison, PeerFigures } from './compare.ts';
import type { LatencyRow } from './measure-gateway-latency.ts';
import type { MemoryRow } from './measure-gateway-memory.ts';
import type { StartRow } from './measure-start.ts';
import type { ScaleRow } from './scale/measure-scale.ts';

/**
 * The result of a benchmark, for people and for programs. Rows with the same columns form one
 * table.
 */
export interface Figures {
  readonly columns: readonly string[];
  /** For tables, in the order of `columns`. */
  readonly cells: readonly string[];
  /** For programs, as one JSON object. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Which target was missed; undefined when all were met or there is none. */
  readonly failure?: string | undefined;
}

/** One line of `--json`. */
export function jsonLine({ values }: Figures): string {
  return `${JSON.stringify(values)}\n`;
}

/** The results as aligned text tables. */
export function tables(all: readonly Figures[]): string {
  const byColumns = Map.groupBy(all, ({ columns }) => columns.join());
  return [...byColumns.values()]
    .map((rows) => [rows[0]?.columns ?? [], ...rows.map(({ cells }) => cells)])
    .map((lines) => lines.map((cells) => `${align(cells)}\n`).join(''))
    .join('\n');
}

/**
 * presetd compared with its peers. CPU time per request decides whether targets are met, because
 * throughput varies with whatever else the machine does. On systems without CPU accounting, nothing
 * is decided.
 */
export function comparisonFigures(
  { name, subject, peers }: Comparison,
  targets: Readonly<Record<string, number>> = {},
): Figures {
  const others = Object.entries(peers).map(([label, figures]) => ({
    label,
    ...figures,
    target: targets[label],
  }));
  const missed = others.filter(({ cpuRatio, target = 0 }) => cpuRatio < target);
  return {
    columns: [
      'benchmark',
      'CPU µs',
      ...others.flatMap(({ label }) => [label, 'ratio', 'target']),
      'requests/s',
      ...others.flatMap(({ label }) => [label, 'ratio']),
      'p50 ms',
      'p99 ms',
    ],
    cells: [
      name,
      subject.cpuMicroseconds.toFixed(1),
      ...others.flatMap(({ cpuMicroseconds, cpuRatio, target = '' }) => [
        cpuMicroseconds.toFixed(1),
        cpuRatio.toFixed(2),
        String(target),
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
        others.map(({ label, cpuRatio, throughputRatio, target, ...figures }) => {
          const ratios = { cpuRatio: round(cpuRatio, 3), throughputRatio: round(throughputRatio, 3) };
          return [label, { ...valuesOf(figures), ...ratios, target }];
        }),
      ),
    },
    failure:
      missed.length === 0
        ? undefined
        : `${name} misses its target: ${missed
            .map(({ label, cpuRatio, target }) => `${label} ${cpuRatio.toFixed(2)} is below ${target}`)
            .join('; ')}.`,
  };
}

/** The JSON values of one server, without digits that vary from run to run. */
function valuesOf({ rps, cpuMicroseconds, p50Ms, p99Ms }: PeerFigures) {
  return {
    cpuMicroseconds: round(cpuMicroseconds, 1),
    rps: Math.round(rps),
    p50Ms: round(p50Ms, 2),
    p99Ms: round(p99Ms, 2),
  };
}

/** The latency that presetd adds to a single request. */
export function latencyFigures({ name, p50Ms, bareP50Ms, addedP50Ms }: LatencyRow): Figures {
  return {
    columns: ['benchmark', 'p50 ms', 'bare', 'added'],
    cells: [name, p50Ms.toFixed(3), bareP50Ms.toFixed(3), addedP50Ms.toFixed(3)],
    values: {
      name,
      p50Ms: round(p50Ms, 3),
      bareP50Ms: round(bareP50Ms, 3),
      addedP50Ms: round(addedP50Ms, 3),
    },
  };
}

/**
 * Memory grows until garbage is collected, so two moments cannot be compared, only the peaks of two
 * halves.
 */
export function memoryFigures({ name, requestCount, residentMiB }: MemoryRow): Figures {
  const [before = Number.NaN, ...samples] = residentMiB;
  const peak = (part: readonly number[]) => Math.max(...part);
  const peakOfFirstHalf = peak(samples.slice(0, samples.length / 2));
  const peakOfSecondHalf = peak(samples.slice(samples.length / 2));
  return {
    columns: ['benchmark', 'requests', 'MiB before', '1st half', '2nd half', 'growth'],
    cells: [
      name,
      String(requestCount),
      before.toFixed(1),
      peakOfFirstHalf.toFixed(1),
      peakOfSecondHalf.toFixed(1),
      (peakOfSecondHalf - peakOfFirstHalf).toFixed(1),
    ],
    values: {
      name,
      requestCount,
      growthMiB: round(peakOfSecondHalf - peakOfFirstHalf, 1),
      residentMiB: residentMiB.map((value) => round(value, 1)),
    },
  };
}

/** A start. Memory decides, because elapsed time varies with whatever else the machine does. */
export function startFigures(row: StartRow, restMiBMax: number): Figures {
  const { name, startMs, startCpuMs, restMiB, usedMiB, longestWaitMs, slowestFirst } = row;
  const numbers = [startMs, startCpuMs, longestWaitMs, slowestFirst.cpuMs, restMiB, usedMiB];
  return {
    columns: [
      ...['benchmark', 'start ms', 'CPU ms', 'wait ms', '1st CPU ms', 'MiB rest', 'MiB used', 'slowest'],
    ],
    cells: [name, ...numbers.map((value) => value.toFixed(0)), slowestFirst.operation],
    values: { ...row },
    failure:
      restMiB > restMiBMax
        ? `${name}: ${restMiB.toFixed(0)} MiB at rest are more than ${restMiBMax}`
        : undefined,
  };
}

/** One operation on a small and a large database of one engine. */
export function scaleFigures(row: ScaleRow): Figures {
  const { engine, operation, smallMs, largeMs, ratio, ratioQuartiles, cpuRatio } = row;
  const name = `${operation.name}-${engine}`;
  const [low, high] = ratioQuartiles;
  return {
    columns: ['benchmark', 'small ms', 'large ms', 'ratio', '25 %', '75 %', 'CPU ratio'],
    cells: [
      ...[name, smallMs.toFixed(3), largeMs.toFixed(3)],
      ...[ratio.toFixed(2), low.toFixed(2), high.toFixed(2), cpuRatio.toFixed(2)],
    ],
    values: {
      name,
      smallMs: round(smallMs, 4),
      largeMs: round(largeMs, 4),
      ratio: round(ratio, 3),
      ratioQuartiles: ratioQuartiles.map((value) => round(value, 3)),
      cpuRatio: round(cpuRatio, 3),
    },
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The name on the left, figures in columns on the right. */
function align([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(24) + figures.map((figure) => figure.padStart(11)).join('');
}
