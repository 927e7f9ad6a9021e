import type { Engine } from '../database.ts';
import type { ScaleRow } from './measure-scale.ts';
import type { Operation } from './operations.ts';
import type { Size } from './population.ts';

/** No operation should exceed this ratio. */
const target = 1.25;

/** Layout, in pixels: texts on the left, ratios between `left` and `right`, figures beyond them. */
const width = 880;
const left = 300;
const right = 640;
/** Larger ratios are drawn as an arrow at the edge. */
const ratioMax = 2;
const top = 78;
const ratioColumn = right + 60;
const lineHeight = 17;
const operationHeight = 44;

const engineNames: Readonly<Record<Engine, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/**
 * Renders an SVG that shows, for each operation and engine, how much longer a request takes on the
 * large database. The line through each mark spans the middle half of the slices. Colors follow the
 * color scheme of the page that shows it.
 */
export function renderPlot(
  rows: readonly ScaleRow[],
  sizes: { readonly small: Size; readonly large: Size },
): string {
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  const bottom = top + operations.length * operationHeight;
  const title = `Response time with ${formatCount(sizes.large.presets)} presets and members, compared with ${formatCount(sizes.small.presets)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 36}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    style,
    renderText(16, 26, title, 'title'),
    renderLegend(),
    `<rect class="good" x="${left}" y="${top - 8}" width="${x(target) - left}" height="${bottom - top + 8}"/>`,
    ...[0, 0.5, 1, 1.5, ratioMax].map((tick) => renderTick(tick, bottom)),
    `<line class="aim" x1="${x(target)}" x2="${x(target)}" y1="${top - 8}" y2="${bottom}"/>`,
    renderText(x(target), top - 14, `target ${target}`, 'aim-text'),
    renderText(width - 16, top - 14, 'ms per request, small → large', 'figures faint'),
    ...operations.flatMap((operation, index) =>
      renderOperation(operation, rows, top + index * operationHeight),
    ),
    renderText((left + right) / 2, bottom + 30, 'ratio of response times, large to small database', 'axis'),
    '</svg>\n',
  ].join('\n');
}

/** The name and description of an operation, with one mark per engine. */
function renderOperation(operation: Operation, rows: readonly ScaleRow[], y: number): readonly string[] {
  return [
    renderText(16, y + 15, operation.name, 'name'),
    renderText(16, y + 31, operation.description, 'faint'),
    ...rows
      .filter((row) => row.operation === operation)
      .map((row, line) => renderMark(row, y + 11 + line * lineHeight)),
  ];
}

/** A mark at the ratio, a line over the quartiles, and the figures in numbers. */
function renderMark({ engine, ratio, ratioQuartiles, smallMs, largeMs }: ScaleRow, y: number): string {
  const [low, high] = ratioQuartiles;
  return [
    `<g class="${engine}">`,
    `<line x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>`,
    ratio > ratioMax ? renderArrow(right, y) : renderShape(engine, x(ratio), y),
    renderText(ratioColumn, y + 4, ratio.toFixed(ratio < 10 ? 2 : 0), 'ratio'),
    renderText(width - 16, y + 4, `${formatMs(smallMs)} → ${formatMs(largeMs)}`, 'figures'),
    '</g>',
  ].join('');
}

/** Engines differ in shape as well as color, for readers who cannot tell the colors apart. */
function renderShape(engine: Engine, x: number, y: number): string {
  return engine === 'sqlite'
    ? `<circle cx="${x}" cy="${y}" r="5"/>`
    : `<rect x="${x - 4.5}" y="${y - 4.5}" width="9" height="9" rx="1.5"/>`;
}

function renderArrow(x: number, y: number): string {
  return `<path d="M${x - 8} ${y - 5} L${x + 2} ${y} L${x - 8} ${y + 5} Z"/>`;
}

function renderLegend(): string {
  return (Object.keys(engineNames) as Engine[])
    .map((engine, index) => {
      const x = 22 + index * 90;
      return `<g class="${engine}">${renderShape(engine, x, 45)}${renderText(x + 10, 49, engineNames[engine], 'faint')}</g>`;
    })
    .join('');
}

function renderTick(tick: number, bottom: number): string {
  return `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${top - 8}" y2="${bottom}"/>${renderText(x(tick), bottom + 14, `${tick}`, 'axis')}`;
}

/** The horizontal position of a ratio, to a tenth of a pixel. */
function x(ratio: number): number {
  return Math.round(10 * (left + (Math.min(ratio, ratioMax) / ratioMax) * (right - left))) / 10;
}

/** Two significant digits below 100 ms, whole milliseconds above. */
function formatMs(value: number): string {
  return value < 100 ? value.toPrecision(2) : value.toFixed(0);
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

function renderText(x: number, y: number, content: string, className: string): string {
  return `<text class="${className}" x="${x}" y="${y}">${content}</text>`;
}

/** Both color schemes in one image, which browsers choose from. */
const style = `<style>
  svg { --ink: #1f2328; --faint: #59636e; --grid: #d1d9e0; --good: #1a7f3714; --aim: #1a7f37; --sqlite: #0969da; --postgres: #bc4c00;
    font: 13px ui-sans-serif, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --faint: #9198a1; --grid: #3d444d; --good: #3fb95014; --aim: #3fb950; --sqlite: #4493f8; --postgres: #f0883e }
  }
  text { fill: var(--ink) }
  .title { font-size: 16px; font-weight: 600 }
  .name { font-weight: 600 }
  .faint { fill: var(--faint); font-size: 12px }
  .axis { fill: var(--faint); font-size: 12px; text-anchor: middle }
  .figures { fill: var(--faint); font-size: 12px; text-anchor: end; font-variant-numeric: tabular-nums }
  .ratio { font-size: 12px; font-weight: 600; text-anchor: end; font-variant-numeric: tabular-nums }
  .grid { stroke: var(--grid) }
  .good { fill: var(--good) }
  .aim { stroke: var(--aim); stroke-dasharray: 4 3 }
  .aim-text { fill: var(--aim); font-size: 12px; text-anchor: middle }
  .sqlite { stroke: var(--sqlite); fill: var(--sqlite) }
  .postgres { stroke: var(--postgres); fill: var(--postgres) }
  g line { stroke-width: 2; stroke-opacity: 0.45 }
  g text { stroke: none }
</style>`;
