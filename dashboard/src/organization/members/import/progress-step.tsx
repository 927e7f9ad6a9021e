import { Button } from '../../../ui/button.tsx';
import dialog from '../../../ui/dialog.module.css';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formatCount, formatNumber } from '../../../ui/format-number.ts';
import { Notice } from '../../../ui/notice.tsx';
import styles from './import.module.css';
import { LineList } from './line-list.tsx';
import { updateLabel } from './preview-step.tsx';
import type { ImportProgress } from './use-import.ts';

interface ProgressStepProps {
  readonly progress: ImportProgress;
  readonly totalCount: number;
  readonly onStop: () => void;
  readonly onResume: () => void;
  readonly onClose: () => void;
}

/** Step 3: progress, and afterwards what became of each line. */
export function ProgressStep({ progress, totalCount, onStop, onResume, onClose }: ProgressStepProps) {
  const { state, sentCount, reportLines, tally, error } = progress;
  const isRunning = state === 'running' || state === 'stopping';
  const summary = tally.summarize(`check “${updateLabel}” to change them`);
  return (
    <div className={dialog.form}>
      <div className={dialog.content}>
        <div>
          <progress className={styles.bar} max={totalCount} value={sentCount} aria-label="Import progress" />
          <div className={styles.counts}>
            <span>
              {formatNumber(sentCount)} of {formatCount(totalCount, 'person', 'people')}
            </span>
            {state === 'stopping' && <span className="muted">Stopping after this batch…</span>}
          </div>
        </div>
        {state === 'failed' && <ErrorNotice error={error} title="The import failed" />}
        {!isRunning && (
          <Notice
            kind={tally.isComplete && state === 'finished' ? 'success' : 'warning'}
            title={titles[state]}
          >
            {summary}
            {state !== 'finished' && ' Imported members are kept. You can resume, or import the file again.'}
          </Notice>
        )}
        {!isRunning && reportLines.length > 0 && <LineList title="Lines to check" lines={reportLines} />}
      </div>
      <footer className={dialog.footer}>
        {isRunning && (
          <Button onClick={onStop} disabled={state === 'stopping'}>
            Cancel
          </Button>
        )}
        {(state === 'stopped' || state === 'failed') && <Button onClick={onResume}>Resume</Button>}
        {!isRunning && (
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
  stopped: 'Import stopped',
  failed: 'Import incomplete',
  finished: 'Import finished',
} as const;
