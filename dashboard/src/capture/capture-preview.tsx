import { ApiError } from '../api/api-error.ts';
import type { PresetSnapshot } from '../api/presets.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { IgnoredPanel } from './ignored-panel.tsx';
import { isSameVersion } from './is-same-version.ts';
import { ProblemList } from './problem-list.tsx';
import { SavedPanel } from './saved-panel.tsx';
import type { Capture } from './use-capture.ts';

interface CapturePreviewProps extends Pick<Capture, 'checked' | 'dryRun' | 'dialect' | 'report'> {
  readonly before: PresetSnapshot | undefined;
  /** The version that the text is still identical to; undefined once it was edited. */
  readonly unchanged: number | undefined;
  readonly onGoTo: (offset: number) => void;
}

/** Next to the editor: problems, then what the version would save and ignore. */
export function CapturePreview(props: CapturePreviewProps) {
  const { checked, dialect, dryRun, report, before, unchanged, onGoTo } = props;
  const { error, isPlaceholderData, isFetching, refetch } = dryRun;
  // The result for an earlier text says nothing about one that cannot be checked.
  const data = dialect === undefined ? undefined : dryRun.data;
  if (checked.kind === 'empty') return <EmptyPreview />;
  // Problems with a position are listed; anything else, such as a timeout, gets a notice.
  const hasOtherError = error !== null && !(error instanceof ApiError && error.issues.length > 0);
  const live = before?.preset.designated_version;
  return (
    <div className="stack">
      {report.problems.length + report.warnings.length > 0 && <ProblemList {...report} onGoTo={onGoTo} />}
      {hasOtherError && (
        <ErrorNotice error={error} title="Could not check the request" retry={() => void refetch()} />
      )}
      {data && live && !isPlaceholderData && isSameVersion(data.data.designated_version, live) ? (
        <Notice>Identical to live version {live.version}.</Notice>
      ) : (
        unchanged !== undefined && <Notice>No changes to version {unchanged} yet.</Notice>
      )}
      {data ? (
        <>
          <SavedPanel version={data.data.designated_version} isStale={isPlaceholderData} />
          <IgnoredPanel leftOut={data} isStale={isPlaceholderData} />
        </>
      ) : isFetching ? (
        <Panel title="Saved">
          <Loading lines={6} label="Checking the request" />
        </Panel>
      ) : (
        dialect === undefined &&
        checked.kind === 'valid' && (
          <Panel title="Saved">
            <p className="muted">Choose a format to see what is saved.</p>
          </Panel>
        )
      )}
    </div>
  );
}

/** Shown before anything is pasted. */
function EmptyPreview() {
  return (
    <Panel>
      <EmptyState title="What is saved">
        <p>
          Paste a request. Its model, system prompt, tools and other parameters become the preset. Messages
          stay with each call.
        </p>
      </EmptyState>
    </Panel>
  );
}
