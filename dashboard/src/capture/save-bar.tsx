import { Button } from '../ui/button.tsx';
import styles from './capture-form.module.css';
import { describeReport } from './problem-list.tsx';
import type { Capture } from './use-capture.ts';

interface SaveBarProps {
  readonly capture: Capture;
  readonly isSaving: boolean;
}

/** The save button, and the result of the latest check. */
export function SaveBar({ capture, isSaving }: SaveBarProps) {
  return (
    <div className={styles.footer}>
      <Button type="submit" variant="primary" isBusy={isSaving}>
        {isSaving ? 'Saving…' : labelOf(capture)}
      </Button>
      <span role="status" className={toneOf(capture)}>
        {statusOf(capture)}
      </span>
    </div>
  );
}

/** Says which version will be created, once the dry run has told its number. */
function labelOf({ draft: { before }, version }: Capture): string {
  if (before === undefined) return 'Create preset';
  return version === undefined ? 'Save version' : `Save version ${version}`;
}

/** Empty while a check is running, so that screen readers do not announce it at every keystroke. */
function statusOf({ dialect, isChecking, report, dryRun }: Capture): string {
  if (report.problems.length > 0) return describeReport(report);
  const isAccepted = dialect !== undefined && !isChecking && dryRun.isSuccess && !dryRun.isPlaceholderData;
  if (!isAccepted) return '';
  return report.warnings.length > 0 ? describeReport(report) : 'No problems';
}

/** The color follows the worst kind of problem. */
function toneOf({ report }: Capture): string | undefined {
  if (report.problems.length > 0) return styles.problems;
  return report.warnings.length > 0 ? styles.warnings : 'muted';
}
