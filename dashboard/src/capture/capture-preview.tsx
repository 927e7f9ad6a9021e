import { ApiError } from '../api/api-error.ts';
import type { SeenPreset } from '../api/presets.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { isSameVersion } from './is-same-version.ts';
import { KeptPanel } from './kept-panel.tsx';
import { LeftOutPanel } from './left-out-panel.tsx';
import { ProblemList } from './problem-list.tsx';
import type { Capture } from './use-capture.ts';

interface CapturePreviewProps extends Pick<Capture, 'checked' | 'dryRun' | 'dialect' | 'report'> {
  readonly before: SeenPreset | undefined;
  /** The version that the text still is. */
  readonly unchanged: number | undefined;
  readonly onGoTo: (offset: number) => void;
}

/** Beside the request: what is wrong with it, and what would become of it. */
export function CapturePreview(props: CapturePreviewProps) {
  const { checked, dialect, dryRun, report, before, unchanged, onGoTo } = props;
  const { error, isPlaceholderData, isFetching, refetch } = dryRun;
  // What was kept of an earlier text says nothing about one that cannot be asked about.
  const data = dialect === undefined ? undefined : dryRun.data;
  if (checked.kind === 'empty') return <NothingYet />;
  const isUnexplained = error !== null && !(error instanceof ApiError && error.issues.length > 0);
  const live = before?.preset.designated_version;
  return (
    <div className="stack">
      {report.problems.length + report.warnings.length > 0 && <ProblemList {...report} onGoTo={onGoTo} />}
      {isUnexplained && (
        <ErrorNotice error={error} title="The server could not check it." retry={() => void refetch()} />
      )}
      {data && live && !isPlaceholderData && isSameVersion(data.data.designated_version, live) ? (
        <Notice>Nothing differs from version {live.version}, which is live.</Notice>
      ) : (
        unchanged !== undefined && <Notice>No changes to version {unchanged} yet.</Notice>
      )}
      {data ? (
        <>
          <KeptPanel version={data.data.designated_version} isStale={isPlaceholderData} />
          <LeftOutPanel leftOut={data} isStale={isPlaceholderData} />
        </>
      ) : isFetching ? (
        <Panel title="Kept">
          <Loading lines={6} label="Asking the server" />
        </Panel>
      ) : (
        dialect === undefined &&
        checked.kind === 'fine' && (
          <Panel title="Kept">
            <p className="muted">Choose the format of the request to see what is kept of it.</p>
          </Panel>
        )
      )}
    </div>
  );
}

function NothingYet() {
  return (
    <Panel>
      <Empty title="What will be kept">
        <p>
          Paste a request. The model, the settings, the tools and the system prompt become the preset; the
          conversation stays with each call.
        </p>
      </Empty>
    </Panel>
  );
}
