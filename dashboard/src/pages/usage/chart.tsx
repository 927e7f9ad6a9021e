import { memo, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import { type UsageMetricName, usageMetrics } from '../../../../src/core/ledger/usage-catalog.ts';
import { hourMs } from '../../../../src/core/ledger/usage-periods.ts';
import {
  axisDate,
  digitWidth,
  labeledPeriods,
  linePath,
  markerGroups,
  periodText,
  pointsPath,
  tickText,
  valueTicks,
} from './chart-scale.ts';
import type { ChartSeries } from './chart-series.ts';
import { changesIn, type LiveChange } from './live-changes.ts';
import styles from './usage.module.css';
import type { UsageView } from './usage-view.ts';

export interface ChartData {
  readonly title: string;
  /** The sum or rate of the whole range, as text. */
  readonly total: string;
  readonly series: readonly ChartSeries[];
  /** Bars are stacked: their values add up. Lines have gaps where there is no value. */
  readonly kind: 'bars' | 'lines';
  readonly dates: readonly string[];
  readonly view: UsageView;
  /** The period that has not ended; -1 if all have. */
  readonly current: number;
  /** Decides how values read. */
  readonly metric: UsageMetricName;
  /** The total of each period, computed by the server; undefined for rates. */
  readonly totals: readonly (number | null)[] | undefined;
  /** Some series are hidden. */
  readonly isPartial?: boolean;
  /** Shown in place of a chart that would be empty. */
  readonly empty?: string | undefined;
  /** More about a period. */
  readonly notes: readonly (string | undefined)[];
  readonly markers: readonly LiveChange[];
}

interface ChartProps {
  /** The same object as long as nothing but `pointed` changes. */
  readonly data: ChartData;
  /** The period under the pointer, in this chart or in another one of the page. */
  readonly pointed: number | undefined;
  readonly onPoint: (period: number | undefined) => void;
}

const height = 208;
const plotTop = 20;
const plotBottom = height - 22;
const plotHeight = plotBottom - plotTop;

/**
 * A chart of a few series over time, as SVG: its colors are those of the theme without drawing it
 * again. The pointer shows the values of a period in all charts of the page.
 */
export function Chart({ data, pointed, onPoint }: ChartProps) {
  const { box, width } = useWidth();
  const scale = useMemo(() => scaleOf(data, width), [data, width]);
  const point = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const x = clientX - currentTarget.getBoundingClientRect().left - scale.left;
    const period = Math.floor(x / scale.band);
    onPoint(period >= 0 && period < data.dates.length ? period : undefined);
  };
  return (
    <div
      ref={box}
      className={styles.chart}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => onPoint(undefined)}
    >
      {width > 0 && (
        <svg
          role="img"
          aria-label={`${data.title}: ${data.total}. The table has the values.`}
          width={width}
          height={height}
        >
          <Drawing data={data} scale={scale} />
          {pointed !== undefined && (
            <line
              className={styles.pointed}
              x1={scale.centerOf(pointed)}
              x2={scale.centerOf(pointed)}
              y1={plotTop}
              y2={plotBottom}
            />
          )}
        </svg>
      )}
      {pointed !== undefined && <Tooltip data={data} period={pointed} scale={scale} />}
    </div>
  );
}

/** Follows the width of the page. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return { box, width };
}

interface Scale {
  readonly width: number;
  /** Where the plot starts, beside the labels of the values. */
  readonly left: number;
  /** The width of a period. */
  readonly band: number;
  readonly ticks: readonly number[];
  readonly centerOf: (period: number) => number;
  readonly yOf: (value: number) => number;
}

function scaleOf({ series, kind, dates, metric }: ChartData, width: number): Scale {
  const ticks = valueTicks(largestOf(series, kind, dates.length));
  const largest = ticks.at(-1) || 1;
  const left =
    Math.ceil(
      Math.max(...ticks.map((tick) => tickText(tick, usageMetrics[metric].format).length)) * digitWidth,
    ) + 10;
  const band = Math.max(0.5, (width - left - 4) / Math.max(1, dates.length));
  return {
    width,
    left,
    band,
    ticks,
    centerOf: (period) => left + (period + 0.5) * band,
    yOf: (value) => plotBottom - (value / largest) * plotHeight,
  };
}

function largestOf(series: readonly ChartSeries[], kind: ChartData['kind'], count: number): number {
  const all = Array.from({ length: count }, (_, period) => series.map(({ values }) => values[period] ?? 0));
  return Math.max(
    0,
    ...all.map((values) =>
      kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values),
    ),
  );
}

interface DrawingProps {
  readonly data: ChartData;
  readonly scale: Scale;
}

/** Everything that stays while the pointer moves. */
const Drawing = memo(function Drawing({ data, scale }: DrawingProps) {
  const { kind, dates, view, metric } = data;
  const { width, left, ticks, yOf, centerOf } = scale;
  const labeled = labeledPeriods(dates.length, width - left, view.granularity === 'month' ? 72 : 56);
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick} className={styles.tick}>
          <line x1={left} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
          <text x={left - 6} y={yOf(tick)} dy="0.32em" textAnchor="end">
            {tickText(tick, usageMetrics[metric].format)}
          </text>
        </g>
      ))}
      {labeled.map((period) => {
        const x = centerOf(period);
        // The text of the last one may not fit.
        if (x > width - 20) return null;
        return (
          <text key={period} className={styles.date} x={Math.max(x, left + 14)} y={height - 6}>
            {axisDate(dates[period] ?? '', view.granularity)}
          </text>
        );
      })}
      {kind === 'bars' ? <Bars data={data} scale={scale} /> : <Lines data={data} scale={scale} />}
      <Markers data={data} scale={scale} />
    </>
  );
});

/** When versions went live. Those too close for a number each share one text. */
function Markers({ data: { markers, dates }, scale }: DrawingProps) {
  const placed = markers.map(({ version, at }) => ({
    text: `v${version}`,
    x: scale.left + positionOf(at, dates) * scale.band,
  }));
  return markerGroups(placed, { left: scale.left, right: scale.width }).map(({ text, textX, lines }) => (
    <g key={`${text} ${textX}`} className={styles.marker}>
      {lines.map((x) => (
        <line key={x} x1={x} x2={x} y1={plotTop - 4} y2={plotBottom} />
      ))}
      <text x={textX} y={plotTop - 8}>
        {text}
      </text>
    </g>
  ));
}

function Bars({ data: { series, dates, current }, scale }: DrawingProps) {
  const { left, band, yOf } = scale;
  const gap = band > 12 ? band * 0.2 : band > 4 ? 1 : 0;
  return dates.map((date, period) => {
    let below = 0;
    return (
      <g key={date} className={period === current ? styles.current : undefined}>
        {series.map(({ name, color, values }) => {
          const value = values[period] ?? 0;
          if (value <= 0) return null;
          const bottom = yOf(below);
          below += value;
          // Anything above zero is visible.
          const top = Math.min(yOf(below), bottom - 1);
          return (
            <rect
              key={name}
              x={left + period * band + gap / 2}
              y={top}
              width={band - gap}
              height={bottom - top}
              style={{ fill: color }}
            />
          );
        })}
      </g>
    );
  });
}

/** The way to a period that has not ended is dashed: its value may still change a lot. */
function Lines({ data: { series, current }, scale }: DrawingProps) {
  const { centerOf, yOf } = scale;
  return series.map(({ name, color, values }) => {
    const points = values.map((value, period) =>
      value === null ? null : ([centerOf(period), yOf(value)] as const),
    );
    const ended = current === -1 ? points : points.slice(0, current);
    return (
      <g key={name} className={styles.line} style={{ stroke: color }}>
        <path d={linePath(ended)} />
        <path className={styles.points} d={pointsPath(ended)} />
        {current !== -1 && (
          <g className={styles.current} data-current>
            <path className={styles.dashed} d={linePath(points.slice(Math.max(0, current - 1)))} />
            <path className={styles.points} d={pointsPath([null, ...points.slice(current)])} />
          </g>
        )}
      </g>
    );
  });
}

/** Where a time is, in periods from the start of the chart. */
export function positionOf(at: number, dates: readonly string[]): number {
  const starts = dates.map((date) => Date.parse(date));
  const period = starts.findLastIndex((start) => start <= at);
  const start = starts[period];
  if (start === undefined) return 0;
  const next = starts[period + 1] ?? start + (start - (starts[period - 1] ?? start - hourMs));
  return period + Math.min(1, (at - start) / (next - start));
}

interface TooltipProps extends DrawingProps {
  readonly period: number;
}

/** For the eyes only: the table has the same values. */
function Tooltip({ data, period, scale }: TooltipProps) {
  const { series, kind, dates, view, metric, totals, notes, markers, current } = data;
  const x = scale.centerOf(period);
  const isLeft = x > scale.width / 2;
  const shown = series.map((each) => ({ ...each, value: each.values[period] ?? null }));
  // Null is an unknown sum, or a rate of no calls.
  const listed = shown.filter(({ value }) => (kind === 'bars' ? value !== 0 : value !== null));
  const total = totals?.[period];
  const live = changesIn(markers, period, dates);
  return (
    <div
      aria-hidden="true"
      className={styles.tooltip}
      style={isLeft ? { right: scale.width - x + 10 } : { left: x + 10 }}
    >
      <div className="note">
        {periodText(dates[period] ?? '', view.granularity)} UTC{period === current && ', so far'}
      </div>
      {listed.map(({ name, color, value }) => (
        <div key={name} className={styles.tooltipRow}>
          <span className={styles.swatch} style={{ background: color }} />
          <span className={styles.tooltipName}>{name}</span>
          <span>{formatMetric(metric, value)}</span>
        </div>
      ))}
      {listed.length === 0 && <div>{data.isPartial ? 'No calls of those shown' : 'No calls'}</div>}
      {listed.length > 1 && total !== undefined && (
        <div className={styles.tooltipRow}>
          <span />
          <span>Total</span>
          <span>{formatMetric(metric, total)}</span>
        </div>
      )}
      {live.length > 0 && (
        <div className="note">Went live: {live.map(({ version }) => `v${version}`).join(', ')}</div>
      )}
      {notes[period] !== undefined && <div className="note">{notes[period]}</div>}
    </div>
  );
}
