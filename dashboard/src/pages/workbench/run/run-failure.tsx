import { ApiError } from '../../../api/api-error.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import type { Variable } from '../../../features/version-content/describe-variable.ts';
import { CallLink } from './response-view.tsx';
import type { Run } from './run.ts';
import { areVariableIssues, problemsOf } from './variable-values.ts';

type FailedRun = Pick<Run, 'error' | 'failure' | 'upstream' | 'callId'>;

interface RunFailureProps {
  readonly run: FailedRun;
  readonly variables: readonly Variable[];
  readonly onPreview: () => void;
}

/**
 * Why a run failed. Problems with variables are shown at their fields. A missing provider key is
 * the normal state of a new installation, so it is shown as a setup step instead of an error.
 */
export function RunFailure({ run, variables, onPreview }: RunFailureProps) {
  const { error, failure } = run;
  if (error instanceof ApiError && areVariableIssues(error.issues, variables))
    return (
      <Notice kind="danger" title="Not sent">
        Check the values of {[...problemsOf(error.issues).keys()].join(', ')}.
      </Notice>
    );
  if (!(error instanceof ApiError) || failure !== 'no-key') return <CallFailure run={run} />;
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

/** Why a call failed, at which upstream, and its record. */
export function CallFailure({ run: { error, upstream, callId } }: { readonly run: FailedRun }) {
  if (!(error instanceof ApiError)) return <ErrorNotice error={error} title="" />;
  const isFromUpstream = upstream !== undefined && error.status > 0;
  return (
    <>
      <ErrorNotice
        error={error}
        title={isFromUpstream ? `The run failed at the upstream ${upstream}` : 'The run failed'}
      />
      {callId !== undefined && (
        <p className="note">
          <CallLink id={callId} />
        </p>
      )}
    </>
  );
}
