import type { Granularity, UsageMetric } from '../../../../src/core/ledger/usage-catalog.ts';

/** Round numbers from zero up to at least the largest value: 0, 20, 40, 60. */
export function valueTicks(largest: number, countMax = 4): readonly number[] {
  if (!(largest > 0) || !Number.isFinite(largest)) return [0];
  const step = roundStep(largest / countMax);
  const count = Math.ceil(largest / step - 1e-9);
  // Multiplied, not added up, and rounded: 0.1 + 0.2 is no round number.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is not below. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 });

/** Beside a tick, which is a round number: "$0.006", "1.5M", "25%", "1.5 s". */
export function tickText(tick: number, format: UsageMetric['format']): string {
  if (format === 'percent') return `${Number((tick * 100).toPrecision(6))}%`;
  if (format === 'latency')
    return tick < 1_000 ? `${tick} ms` : `${compact.format(Number((tick / 1_000).toPrecision(6)))} s`;
  if (format === 'currency' && tick > 0 && tick < 1) {
    const [, decimals = ''] = tick.toFixed(9).replace(/0+$/, '').split('.');
    return `$${tick.toFixed(Math.max(2, decimals.length))}`;
  }
  return `${format === 'currency' ? '$' : ''}${compact.format(tick)}`;
}

/** Which periods have a label below them, so that labels do not touch. */
export function labeledPeriods(count: number, width: number, labelWidth: number): readonly number[] {
  const room = Math.max(1, Math.floor(width / labelWidth));
  const every = niceInterval(Math.ceil(count / room));
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}

/** Intervals that make sense of hours and of days: 1, 2, 3, 4, 6, 7, 12, 14, 24 … */
function niceInterval(least: number): number {
  return [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 72, 96].find((each) => each >= least) ?? least;
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en', { timeZone: 'UTC', ...options });
const timeFormat = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayFormat = format({ month: 'short', day: 'numeric' });
const monthFormat = format({ month: 'short', year: 'numeric' });
const fullDayFormat = format({ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' });

/** Below a chart: "14:00", "Nov 18", "Nov 2026". */
export function axisDate(date: string, granularity: Granularity): string {
  const at = new Date(date);
  if (granularity === 'month') return monthFormat.format(at);
  return granularity === 'hour' && at.getUTCHours() !== 0 ? timeFormat.format(at) : dayFormat.format(at);
}

/** In a table: "Wed, Nov 18, 2026, 14:00". */
export function periodText(date: string, granularity: Granularity): string {
  const at = new Date(date);
  if (granularity === 'month') return monthFormat.format(at);
  const day = fullDayFormat.format(at);
  if (granularity === 'week') return `Week of ${day}`;
  return granularity === 'hour' ? `${day}, ${timeFormat.format(at)}` : day;
}

/** The index of the period that has not ended; -1 if all have. */
export function currentPeriod(dates: readonly string[], end: number, now: number): number {
  return now >= end ? -1 : dates.findLastIndex((date) => Date.parse(date) <= now);
}

export const digitWidth = 6.2;

interface PlacedMarker {
  readonly text: string;
  readonly x: number;
}

interface MarkerGroup {
  readonly text: string;
  /** The center of the text. */
  readonly textX: number;
  readonly lines: readonly number[];
}

const textGap = 6;
/** Lines any closer look like one. */
const lineGap = 4;

/** Markers in their order, merged until no two texts touch: "3 versions went live". */
export function markerGroups(
  markers: readonly PlacedMarker[],
  plot: { readonly left: number; readonly right: number },
): readonly MarkerGroup[] {
  let groups: readonly (readonly PlacedMarker[])[] = [];
  const boxOf = (group: readonly PlacedMarker[]) => {
    const [{ x: first, text } = { x: 0, text: '' }] = group;
    const label = group.length === 1 ? text : `${group.length} versions went live`;
    const half = (label.length * digitWidth) / 2;
    const center = (first + (group.at(-1)?.x ?? first)) / 2;
    // Text stays inside the plot.
    const x = Math.max(plot.left + half, Math.min(center, plot.right - half));
    return { label, x, start: x - half, end: x + half };
  };
  for (const marker of markers) {
    groups = [...groups, [marker]];
    for (let [before, last] = groups.slice(-2); before && last; [before, last] = groups.slice(-2)) {
      if (boxOf(before).end + textGap <= boxOf(last).start) break;
      groups = [...groups.slice(0, -2), [...before, ...last]];
    }
  }
  return groups.map((group) => {
    const { label: text, x: textX } = boxOf(group);
    const lines: number[] = [];
    for (const { x } of group) if (x - (lines.at(-1) ?? Number.NEGATIVE_INFINITY) >= lineGap) lines.push(x);
    return { text, textX, lines };
  });
}

type Points = readonly (readonly [x: number, y: number] | null)[];

/** The path of a line, with gaps where there is no value. */
export function linePath(points: Points): string {
  return points
    .map((point, index) => (point === null ? '' : `${isAfterGap(points, index) ? 'M' : 'L'}${at(point)}`))
    .join('');
}

/** The path of values between two gaps, which has no visible line: round caps make them points. */
export function pointsPath(points: Points): string {
  return points
    .map((point, index) => {
      const isAlone = isAfterGap(points, index) && (points[index + 1] ?? null) === null;
      return point !== null && isAlone ? `M${at(point)}h0` : '';
    })
    .join('');
}

function isAfterGap(points: Points, index: number): boolean {
  return (points[index - 1] ?? null) === null;
}

function at(point: readonly [x: number, y: number]): string {
  return point.map((each) => Number(each.toFixed(1))).join(' ');
}
