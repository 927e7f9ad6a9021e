import type { PresetSnapshot } from '../api/presets.ts';
import { VersionDiff } from '../compare/version-diff.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Notice } from '../ui/notice.tsx';
import { ChangedFields } from './changed-fields.tsx';
import styles from './conflict-dialog.module.css';
import { EventList } from './event-list.tsx';
import { type Conflict, useConflict } from './use-conflict.ts';

interface ConflictDialogProps {
  readonly slug: string;
  /** The preset as the user saw it. */
  readonly before: PresetSnapshot;
  /** Receives the latest state, if it was loaded. */
  readonly onClose: (now?: PresetSnapshot) => void;
  /** Repeats the change against the state that this dialog shows. */
  readonly onRetry?: (now: PresetSnapshot) => void;
  /** What closing means for the user; by default it shows the latest state. */
  readonly closeLabel?: string;
}

/**
 * Shown when the server returns 412: what others changed since the user loaded the preset. The user
 * can repeat their change on top of it, or drop it; nothing is ever overwritten unseen.
 */
export function ConflictDialog({ slug, before, onClose, onRetry, closeLabel }: ConflictDialogProps) {
  const { data, error, refetch } = useConflict(slug, before);
  return (
    <Dialog title="Changed by someone else" onClose={() => onClose(data?.now)} isWide>
      <div className={styles.content}>
        <Notice kind="warning" title="Someone else changed this preset after you opened it">
          Your change was not saved.
        </Notice>
        {error ? (
          <ErrorNotice error={error} title="Could not load the changes" retry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label="Loading changes" />
        ) : (
          <Difference slug={slug} before={before} conflict={data} />
        )}
      </div>
      <footer className={styles.footer}>
        {onRetry && (
          <Button disabled={data === undefined} onClick={() => data && onRetry(data.now)}>
            Apply anyway
          </Button>
        )}
        <Button variant="primary" onClick={() => onClose(data?.now)}>
          {closeLabel ?? 'Show latest'}
        </Button>
      </footer>
    </Dialog>
  );
}

interface DifferenceProps {
  readonly slug: string;
  readonly before: PresetSnapshot;
  readonly conflict: Conflict;
}

/**
 * Events, changed fields and a diff of the live versions, each only if there is something to show.
 */
function Difference({ slug, before, conflict }: DifferenceProps) {
  const [from, to] = [before.preset.designated_version, conflict.now.preset.designated_version];
  return (
    <>
      {conflict.events.length > 0 && (
        <section className={styles.part}>
          <h3>Changes</h3>
          <EventList slug={slug} events={conflict.events} />
        </section>
      )}
      <ChangedFields before={before.preset} now={conflict.now.preset} />
      {from.version !== to.version && (
        <section className={styles.part}>
          <h3>
            Live version {from.version} → {to.version}
          </h3>
          <VersionDiff from={from} to={to} />
        </section>
      )}
    </>
  );
}
