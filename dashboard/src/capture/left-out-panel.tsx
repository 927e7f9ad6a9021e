import type { LeftOut } from '../../../src/client/preset-answers.ts';
import { Panel } from '../parts/panel.tsx';
import styles from './left-out-panel.module.css';

interface LeftOutPanelProps {
  readonly leftOut: LeftOut;
  readonly isStale: boolean;
}

/** What a version does not have of the request, and why, in the words of the server. */
export function LeftOutPanel({ leftOut, isStale }: LeftOutPanelProps) {
  const { left_out: fields = [], left_out_count: count = fields.length } = leftOut;
  const rest = count - fields.length;
  return (
    <Panel title="Left out">
      <ul className={isStale ? styles.stale : styles.list} aria-busy={isStale}>
        {fields.map(({ field, reason, message }) => (
          <li key={field} className={styles.item}>
            <code>{field}</code>
            <span className={reason === 'unknown' ? styles.unknown : 'muted'}>{message}</span>
          </li>
        ))}
        {rest > 0 && <li className="muted">and {rest.toLocaleString('en-US')} more</li>}
        {count === 0 && <li className="muted">Nothing: all of it is kept.</li>}
      </ul>
    </Panel>
  );
}
