import type { ReactNode } from 'react';
import { Button, type ButtonVariant } from '../../../components/button.tsx';
import { Dialog, DialogBody } from '../../../components/dialog.tsx';
import { messageOf, Notice } from '../../../components/notice.tsx';
import { formatCount, formatNumber } from '../../../components/text.ts';
import styles from './bulk.module.css';
import type { useBulkRun } from './use-bulk-run.ts';

interface BulkDialogProps {
  readonly title: string;
  readonly run: ReturnType<typeof useBulkRun>;
  readonly submitLabel: string;
  readonly submitVariant?: ButtonVariant;
  readonly canSubmit: boolean;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/**
 * Asks first, then shows the progress, then the presets that could not be changed. Not a
 * form, because some of its fields are forms themselves.
 */
export function BulkDialog(props: BulkDialogProps) {
  const {
    title,
    run,
    submitLabel,
    submitVariant = 'primary',
    canSubmit,
    onSubmit,
    onCancel,
    children,
  } = props;
  const { state } = run;
  const isRunning = state.kind === 'running';
  const isDanger = submitVariant === 'danger';
  return (
    <Dialog title={title} onClose={state.kind === 'failed' ? run.close : onCancel} isBusy={isRunning}>
      <DialogBody
        footer={
          state.kind === 'failed' ? (
            <Button variant="primary" onClick={run.close}>
              Close
            </Button>
          ) : (
            <>
              <Button onClick={isRunning ? run.stop : onCancel} data-starts-focus={isDanger || undefined}>
                {isRunning ? 'Stop' : 'Cancel'}
              </Button>
              <Button
                variant={submitVariant}
                isBusy={isRunning}
                disabled={!canSubmit}
                onClick={onSubmit}
                data-starts-focus={!isDanger || undefined}
              >
                {submitLabel}
              </Button>
            </>
          )
        }
      >
        {state.kind === 'failed' ? <Failures {...state} /> : children}
        {isRunning && (
          <p className={styles.progress} role="status">
            <progress aria-label={title} value={state.done} max={state.total} />
            {formatNumber(state.done)} of {formatNumber(state.total)}
          </p>
        )}
      </DialogBody>
    </Dialog>
  );
}

type FailuresProps = Extract<BulkDialogProps['run']['state'], { kind: 'failed' }>;

function Failures({ failures, total }: FailuresProps) {
  return (
    <div className="stack">
      <Notice
        kind="danger"
        title={`Could not change ${formatNumber(failures.length)} of ${formatCount(total, 'preset', 'presets')}`}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users have to scroll it */}
      <ul className={styles.failures} tabIndex={0} aria-label="Presets that could not be changed">
        {failures.map(({ preset, error }) => (
          <li key={preset.id}>
            <strong>{preset.name}</strong> <span className="muted">{messageOf(error)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
