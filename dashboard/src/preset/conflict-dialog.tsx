import type { SeenPreset } from '../api/presets.ts';
import { VersionDiff } from '../compare/version-diff.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { ChangedFields } from './changed-fields.tsx';
import styles from './conflict-dialog.module.css';
import { EventList } from './event-list.tsx';
import { type Conflict, useConflict } from './use-conflict.ts';

interface ConflictDialogProps {
  readonly slug: string;
  /** The preset as the person saw it. */
  readonly before: SeenPreset;
  /** With the new state, where it could be read. */
  readonly onClose: (now?: SeenPreset) => void;
  /** Does the same again, to the state that is shown here. */
  readonly onRetry?: (now: SeenPreset) => void;
  readonly closeLabel?: string;
}

/** Somebody else was faster: who did what, what that changed, and the two ways on. */
export function ConflictDialog({ slug, before, onClose, onRetry, closeLabel }: ConflictDialogProps) {
  const { data, error, refetch } = useConflict(slug, before);
  return (
    <Dialog title="Changed by somebody else" onClose={() => onClose(data?.now)} isWide>
      <div className={styles.content}>
        <Notice kind="warning" title="Somebody else changed this preset while you were looking.">
          Nothing was overwritten, and your change was not made.
        </Notice>
        {error ? (
          <ErrorNotice error={error} title="The new state could not be read." retry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label="Loading what changed" />
        ) : (
          <Difference slug={slug} before={before} conflict={data} />
        )}
      </div>
      <footer className={styles.footer}>
        {onRetry && (
          <Button disabled={data === undefined} onClick={() => data && onRetry(data.now)}>
            Do it anyway
          </Button>
        )}
        <Button variant="primary" onClick={() => onClose(data?.now)}>
          {closeLabel ?? 'Show me the new state'}
        </Button>
      </footer>
    </Dialog>
  );
}

interface DifferenceProps {
  readonly slug: string;
  readonly before: SeenPreset;
  readonly conflict: Conflict;
}

function Difference({ slug, before, conflict }: DifferenceProps) {
  const [from, to] = [before.preset.designated_version, conflict.now.preset.designated_version];
  return (
    <>
      {conflict.events.length > 0 && (
        <section className={styles.part}>
          <h3>What was done</h3>
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
