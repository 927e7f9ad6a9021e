import { Button } from '../parts/button.tsx';
import styles from './capture-form.module.css';
import type { Capture } from './use-capture.ts';

interface SaveBarProps {
  readonly capture: Capture;
  readonly isSaving: boolean;
}

export function SaveBar({ capture, isSaving }: SaveBarProps) {
  return (
    <div className={styles.footer}>
      <Button type="submit" variant="primary" isBusy={isSaving}>
        {isSaving ? 'Saving…' : labelOf(capture)}
      </Button>
      <span role="status" className="muted">
        {statusOf(capture)}
      </span>
    </div>
  );
}

function labelOf({ draft: { before }, version }: Capture): string {
  if (before === undefined) return 'Create preset';
  return version === undefined ? 'Save version' : `Save version ${version}`;
}

/** Nothing while the server is asked, so that it is not read out at every key. */
function statusOf({ dialect, isChecking, report, dryRun }: Capture): string {
  const count = report.problems.length;
  if (count > 0) return count === 1 ? '1 problem' : `${count} problems`;
  const isAccepted = dialect !== undefined && !isChecking && dryRun.isSuccess && !dryRun.isPlaceholderData;
  return isAccepted ? 'No problems' : '';
}
