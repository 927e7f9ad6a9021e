import { FormDialog } from '../../../../components/dialog.tsx';
import { formatCount } from '../../../../components/text.ts';
import { describeEstimate, describeSize, describeSources, type Estimate } from './run-estimate.ts';

interface RunQuestionProps {
  /** By `cellKey`. */
  readonly keys: readonly string[];
  readonly estimate: Estimate;
  readonly onRun: () => void;
  readonly onClose: () => void;
}

/** Asks before a run of many calls. */
export function RunQuestion({ keys, estimate, onRun, onClose }: RunQuestionProps) {
  const sources = describeSources(estimate);
  return (
    <FormDialog
      title={`Run ${describeSize(keys)}?`}
      submitLabel={`Run ${formatCount(estimate.calls, 'call', 'calls')}`}
      change={{ isPending: false, error: null }}
      onSubmit={onRun}
      onClose={onClose}
    >
      <p>
        <strong>{describeEstimate(estimate)}</strong>
        {sources !== undefined && `, ${sources}`}.
      </p>
      <p className="note">Four calls run at a time. You can stop at any time and keep the results so far.</p>
    </FormDialog>
  );
}
