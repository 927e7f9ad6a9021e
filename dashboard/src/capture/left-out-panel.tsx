import { Badge } from '../parts/badge.tsx';
import { Panel } from '../parts/panel.tsx';
import styles from './left-out-panel.module.css';
import type { DryRun } from './use-dry-run.ts';

interface LeftOutPanelProps {
  readonly dryRun: Pick<DryRun, 'left_out' | 'left_out_count'>;
  readonly isStale: boolean;
}

/** What a version does not have of the request, and why, in the words of the server. */
export function LeftOutPanel({ dryRun: { left_out, left_out_count }, isStale }: LeftOutPanelProps) {
  const rest = left_out_count - left_out.length;
  return (
    <Panel title="Left out">
      <ul className={isStale ? styles.stale : styles.list} aria-busy={isStale}>
        {left_out.map(({ field, reason, message }) => (
          <li key={field} className={styles.item}>
            <span className={styles.name}>
              <code>{field}</code>
              {reason === 'unknown' && <Badge tone="warning">unknown field</Badge>}
            </span>
            <span className="muted">{message}</span>
          </li>
        ))}
        {rest > 0 && <li className="muted">and {rest.toLocaleString('en-US')} more</li>}
        {left_out_count === 0 && <li className="muted">Nothing: all of it is kept.</li>}
      </ul>
    </Panel>
  );
}
