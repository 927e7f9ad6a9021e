import { Panel } from '../../components/page.tsx';
import styles from './usage.module.css';

const titles = ['Spend', 'Calls', 'Tokens', 'Cost per call', 'Error rate', 'Latency'];

/** The report while it loads, as high as it will be, so that nothing moves when it arrives. */
export function ReportSkeleton({ hasLegend }: { readonly hasLegend: boolean }) {
  return (
    <div role="status" aria-label="Loading usage" className="stack">
      <div className={styles.totals}>
        <div className={styles.total}>
          <span>{'\u00a0'}</span>
          <span className={styles.amount}>{'\u00a0'}</span>
          <span className="note">{'\u00a0'}</span>
          <span className="note">{'\u00a0'}</span>
        </div>
      </div>
      {hasLegend && <div className={styles.legend} />}
      <div className={styles.charts}>
        {titles.map((title) => (
          <Panel key={title} title={title} isFlush>
            <div className={styles.chartBox} />
          </Panel>
        ))}
      </div>
    </div>
  );
}
