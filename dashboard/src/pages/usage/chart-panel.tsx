import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import { Button } from '../../components/button.tsx';
import { Panel } from '../../components/page.tsx';
import { Chart, type ChartData } from './chart.tsx';
import { periodText } from './chart-scale.ts';
import { changesIn } from './live-changes.ts';
import styles from './usage.module.css';

interface ChartPanelProps {
  readonly data: ChartData;
  /** Beside the title. */
  readonly actions?: ReactNode;
  readonly pointed: number | undefined;
  readonly onPoint: (period: number | undefined) => void;
}

/** A chart, or a table of the same values in the same space. */
export function ChartPanel({ data, actions, pointed, onPoint }: ChartPanelProps) {
  const [isTable, setIsTable] = useState(false);
  const Icon = isTable ? ChartColumn : Table2;
  return (
    <Panel
      title={data.title}
      actions={
        <>
          {actions}
          <Button isSmall variant="quiet" onClick={() => setIsTable(!isTable)}>
            <Icon aria-hidden="true" />
            {isTable ? 'Chart' : 'Table'}
            <span className="visually-hidden"> of {data.title}</span>
          </Button>
        </>
      }
      isFlush
    >
      <div className={styles.chartBox}>
        {isTable ? (
          <ChartTable data={data} />
        ) : data.empty === undefined ? (
          <Chart data={data} pointed={pointed} onPoint={onPoint} />
        ) : (
          <p className={styles.noValues}>{data.empty}</p>
        )}
      </div>
    </Panel>
  );
}

function ChartTable({ data }: { readonly data: ChartData }) {
  const { title, total, series, dates, view, metric, totals, notes, markers, current } = data;
  const hasNotes = notes.some((note) => note !== undefined);
  const hasTotals = totals !== undefined && series.length > 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    <section className={styles.tableBox} tabIndex={0} aria-label={`${title}, all values`}>
      <table className={styles.values} aria-label={title}>
        <thead>
          <tr>
            <th scope="col">Period (UTC)</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {hasTotals && <th scope="col">Total</th>}
            {hasNotes && <th scope="col">Note</th>}
            {markers.length > 0 && <th scope="col">Went live</th>}
          </tr>
        </thead>
        <tbody>
          {dates.map((date, period) => (
            <tr key={date}>
              <th scope="row">
                {periodText(date, view.granularity)}
                {period === current && ', so far'}
              </th>
              {series.map(({ name, values }) => (
                <td key={name}>{formatMetric(metric, values[period] ?? null)}</td>
              ))}
              {hasTotals && <td>{formatMetric(metric, totals[period] ?? null)}</td>}
              {hasNotes && <td>{notes[period]}</td>}
              {markers.length > 0 && (
                <td>
                  {changesIn(markers, period, dates)
                    .map(({ version }) => `Version ${version}`)
                    .join(', ')}
                </td>
              )}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Whole range{data.isPartial && ', all groups'}</th>
            <td colSpan={series.length + [hasTotals, hasNotes, markers.length > 0].filter(Boolean).length}>
              {total}
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
