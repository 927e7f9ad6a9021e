import { useMemo, useState } from 'react';
import { formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import type { UsageMetricName } from '../../../../src/core/ledger/usage-catalog.ts';
import type { UsageRow } from '../../api/usage.ts';
import { SelectField } from '../../components/fields.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import type { ChartData } from './chart.tsx';
import { ChartPanel } from './chart-panel.tsx';
import { currentPeriod } from './chart-scale.ts';
import { legendSeries, metricSeries, metricValue, quantileSeries } from './chart-series.ts';
import { formatHidden, type HiddenSeries, parseHidden } from './hidden-series.ts';
import { Legend } from './legend.tsx';
import type { LiveChange } from './live-changes.ts';
import { unknownCostText } from './totals.tsx';
import styles from './usage.module.css';
import type { UsageReport } from './usage-report.ts';

interface ChartsProps {
  readonly report: UsageReport;
  readonly nameOf: (row: UsageRow) => string;
  readonly markers: readonly LiveChange[];
}

/** The charts, and the legend that they share: a group has the same color in each. */
export function Charts({ report, nameOf, markers }: ChartsProps) {
  const [pointed, setPointed] = useState<number>();
  const { value, change } = useUrlParams();
  const hide = value('hide');
  const hidden = useMemo(() => parseHidden(hide), [hide]);
  const setHidden = (next: HiddenSeries) => change({ hide: formatHidden(next) }, { replace: true });
  const legend = useMemo(() => legendSeries(report, nameOf), [report, nameOf]);
  const sums = useMemo(
    () => metricCharts.map((chart) => withoutHidden(metricChart(chart, report, nameOf, markers), hidden)),
    [report, nameOf, markers, hidden],
  );
  const latency = useMemo(() => latencyChart(report, nameOf, markers), [report, nameOf, markers]);
  const shownLatency = useMemo(() => withoutHidden(latency, hidden), [latency, hidden]);
  return (
    <>
      {legend.length > 0 && <Legend label="Groups" series={legend} hidden={hidden} onChange={setHidden} />}
      <div className={styles.charts}>
        {sums.map((data) => (
          <ChartPanel key={data.title} data={data} pointed={pointed} onPoint={setPointed} />
        ))}
        <ChartPanel
          data={shownLatency}
          pointed={pointed}
          onPoint={setPointed}
          actions={
            <>
              {legend.length === 0 && (
                <Legend label="Quantiles" series={latency.series} hidden={hidden} onChange={setHidden} />
              )}
              <LatencyFields report={report} />
            </>
          }
        />
      </div>
    </>
  );
}

/** The total of a period says nothing about a part of its series. */
function withoutHidden(data: ChartData, hidden: HiddenSeries): ChartData {
  const series = data.series.filter(({ name }) => !hidden.has(name));
  if (series.length === data.series.length) return data;
  return { ...data, series, totals: undefined, isPartial: true };
}

const metricCharts = [
  { title: 'Spend', metric: 'total_usage', kind: 'bars' },
  { title: 'Calls', metric: 'request_count', kind: 'bars' },
  { title: 'Tokens', metric: 'tokens_total', kind: 'bars' },
  { title: 'Cost per call', metric: 'cost_per_call', kind: 'lines' },
  { title: 'Error rate', metric: 'error_rate', kind: 'lines' },
] as const;

function metricChart(
  { title, metric, kind }: (typeof metricCharts)[number],
  report: UsageReport,
  nameOf: (row: UsageRow) => string,
  markers: readonly LiveChange[],
): ChartData {
  const { dates, periods, total, view } = report;
  const isCost = metric === 'total_usage' || metric === 'cost_per_call';
  return {
    title,
    kind,
    dates,
    view,
    markers,
    current: currentPeriod(dates, view.end, Date.now()),
    series: metricSeries(report, metric, nameOf),
    total: formatMetric(metric, total?.[metric]),
    totals: kind === 'bars' ? dates.map((date) => metricValue(periods.get(date), metric)) : undefined,
    empty: isCost && total?.[metric] === null ? 'No cost is known in this range.' : undefined,
    notes: dates.map((date) => (isCost ? unknownCostNote(periods.get(date)) : undefined)),
    metric,
  };
}

function unknownCostNote(row: UsageRow | undefined): string | undefined {
  const count = metricValue(row, 'unpriced_request_count') ?? 0;
  return count === 0 ? undefined : unknownCostText(count);
}

function latencyChart(
  report: UsageReport,
  nameOf: (row: UsageRow) => string,
  markers: readonly LiveChange[],
): ChartData {
  const { dates, total, view, groups } = report;
  const { measure, quantile } = view;
  const quantiles = (['p50', 'p95', 'p99'] as const).map((name) => {
    const metric: UsageMetricName = `${measure}_${name}`;
    return `${name} ${formatMetric(metric, total?.[metric])}`;
  });
  return {
    title: measure === 'latency' ? 'Latency' : 'Time to first token',
    kind: 'lines',
    dates,
    view,
    markers,
    current: currentPeriod(dates, view.end, Date.now()),
    // Each group has one line; without groups there is room for all quantiles.
    series:
      groups.length > 0 ? metricSeries(report, `${measure}_${quantile}`, nameOf) : quantileSeries(report),
    total: quantiles.join(', '),
    totals: undefined,
    notes: [],
    metric: `${measure}_${quantile}`,
  };
}

function LatencyFields({ report: { view, groups } }: { readonly report: UsageReport }) {
  const { change } = useUrlParams();
  return (
    <div className={styles.fields}>
      {groups.length > 0 && (
        <SelectField
          label="Quantile"
          isLabelHidden
          value={view.quantile}
          options={[
            ['p50', 'p50'],
            ['p95', 'p95'],
            ['p99', 'p99'],
          ]}
          onChange={(quantile) => change({ quantile }, { replace: true })}
        />
      )}
      <SelectField
        label="Measured until"
        isLabelHidden
        value={view.measure}
        options={[
          ['latency', 'Whole response'],
          ['first_token', 'First token'],
        ]}
        onChange={(measure) => change({ measure }, { replace: true })}
      />
    </div>
  );
}
