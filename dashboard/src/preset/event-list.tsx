import type { PresetEvent } from '../../../src/client/preset-answers.ts';
import { Time } from '../parts/time.tsx';
import { describeEvent } from './describe-event.ts';
import styles from './event-list.module.css';

/** Who did what when, newest first. */
export function EventList({ events }: { readonly events: readonly PresetEvent[] }) {
  return (
    <ol className={styles.list} aria-label="Events">
      {events.map((event) => (
        <li key={event.number} className={styles.event}>
          <span className={styles.what}>{describeEvent(event)}</span>
          <span className={styles.when}>
            <Time at={event.created_at} />
            {event.key_label !== null && (
              <>
                {' '}
                with <span className="mono">{event.key_label}</span>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
