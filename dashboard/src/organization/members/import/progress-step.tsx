import { Button } from '../../../parts/button.tsx';
import { counted, grouped } from '../../../parts/counted.ts';
import dialog from '../../../parts/dialog.module.css';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Notice } from '../../../parts/notice.tsx';
import styles from './import.module.css';
import { ToldList } from './told-list.tsx';
import type { ImportProgress } from './use-import.ts';

interface ProgressStepProps {
  readonly progress: ImportProgress;
  readonly totalCount: number;
  readonly onStop: () => void;
  readonly onGoOn: () => void;
  readonly onClose: () => void;
}

export function ProgressStep({ progress, totalCount, onStop, onGoOn, onClose }: ProgressStepProps) {
  const { state, sentCount, told, tally, error } = progress;
  const isUnderWay = state === 'running' || state === 'stopping';
  const summary = tally.summarize('tick "Update people who are members already" to change them');
  return (
    <div className={dialog.form}>
      <div className={dialog.content}>
        <div>
          <progress className={styles.bar} max={totalCount} value={sentCount} aria-label="Imported" />
          <div className={styles.counts}>
            <span>
              {grouped(sentCount)} of {counted(totalCount, 'person', 'people')}
            </span>
            {state === 'stopping' && <span className="muted">Stopping after this group…</span>}
          </div>
        </div>
        {state === 'failed' && <ErrorNotice error={error} title="The import broke off." />}
        {!isUnderWay && (
          <Notice
            kind={tally.isComplete && state === 'finished' ? 'success' : 'warning'}
            title={titles[state]}
          >
            {summary}
            {state !== 'finished' && ' What was imported stays, and it is safe to import the file again.'}
          </Notice>
        )}
        {!isUnderWay && told.length > 0 && <ToldList title="Lines that need a look" lines={told} />}
      </div>
      <footer className={dialog.footer}>
        {isUnderWay && (
          <Button onClick={onStop} disabled={state === 'stopping'}>
            Cancel
          </Button>
        )}
        {(state === 'stopped' || state === 'failed') && <Button onClick={onGoOn}>Go on</Button>}
        {!isUnderWay && (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )}
      </footer>
    </div>
  );
}

const titles = {
  running: '',
  stopping: '',
  stopped: 'Stopped',
  failed: 'Not all were imported',
  finished: 'Imported',
} as const;
