import type { LeftOut } from '../../../src/client/preset-answers.ts';
import { Panel } from '../ui/panel.tsx';
import styles from './ignored-panel.module.css';

interface IgnoredPanelProps {
  readonly leftOut: LeftOut;
  readonly isStale: boolean;
}

/** The request fields that the version would not save, each with the server's reason. */
export function IgnoredPanel({ leftOut, isStale }: IgnoredPanelProps) {
  const { left_out: fields = [], left_out_count: count = fields.length } = leftOut;
  const rest = count - fields.length;
  return (
    <Panel title="Ignored">
      <ul className={isStale ? styles.stale : styles.list} aria-busy={isStale}>
        {fields.map(({ field, reason, message }) => (
          <li key={field} className={styles.item}>
            <code>{field}</code>
            <span className={reason === 'unknown' ? styles.unknown : 'muted'}>{message}</span>
          </li>
        ))}
        {rest > 0 && <li className="muted">and {rest.toLocaleString('en-US')} more</li>}
        {count === 0 && <li className="muted">Nothing. Every field is saved.</li>}
      </ul>
    </Panel>
  );
}
