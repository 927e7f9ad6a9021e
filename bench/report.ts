import type { Row } from './measure.ts';

export function jsonLine(row: Row): string {
  return `${JSON.stringify({
    name: row.name,
    rps: Math.round(row.rps),
    bareRps: Math.round(row.bareRps),
    ratio: Number(row.ratio.toFixed(3)),
    p50Ms: Number(row.p50Ms.toFixed(2)),
    p99Ms: Number(row.p99Ms.toFixed(2)),
  })}\n`;
}

export function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.name,
    row.rps.toFixed(0),
    row.bareRps.toFixed(0),
    row.ratio.toFixed(2),
    row.p50Ms.toFixed(2),
    row.p99Ms.toFixed(2),
  ]);
  const all = [['benchmark', 'requests/s', 'bare', 'ratio', 'p50 ms', 'p99 ms'], ...lines];
  return all.map((cells) => `${align(cells)}\n`).join('');
}

function align([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(24) + figures.map((figure) => figure.padStart(11)).join('');
}
