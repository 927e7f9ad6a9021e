import { ApiError } from '../../../api/api-error.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import type { Variable } from '../../../features/version-content/describe-variable.ts';
import type { Run } from './run.ts';
import { areVariableIssues, problemsOf } from './variable-values.ts';

interface RunFailureProps {
  readonly run: Pick<Run, 'error' | 'failure'>;
  readonly variables: readonly Variable[];
  readonly onPreview: () => void;
}

/**
 * Why a run failed. Problems with variables are shown at their fields. A missing provider key is the
 * normal state of a new installation, so it is shown as a setup step instead of an error.
 */
export function RunFailure({ run: { error, failure }, variables, onPreview }: RunFailureProps) {
  if (error instanceof ApiError && areVariableIssues(error.issues, variables))
    return (
      <Notice kind="danger" title="Not sent">
        Check the values of {[...problemsOf(error.issues).keys()].join(', ')}.
      </Notice>
    );
  if (!(error instanceof ApiError) || failure !== 'no-key')
    return <ErrorNotice error={error} title={error instanceof ApiError ? 'The run failed' : ''} />;
  return (
    <Notice
      title="No model is available yet"
      actions={
        <Button isSmall onClick={onPreview}>
          Preview request
        </Button>
      }
    >
      <p>{error.message}</p>
      <p className="muted">Until then, you can see what presetd would send.</p>
    </Notice>
  );
}
