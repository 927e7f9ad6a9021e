import { useMemo } from 'react';
import { useVersion } from '../../../api/presets.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog, DialogBody } from '../../../components/dialog.tsx';
import type { Capture } from '../../../features/capture/use-capture.ts';
import { describeChanges } from '../../../features/comparison/describe-changes.ts';
import { type ComparedVersion, VersionDiff } from '../../../features/comparison/version-diff.tsx';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { useWorkbench } from '../workbench.ts';

/** The draft, and the live version that it is compared with. */
export interface DraftComparison {
  /** Undefined while it is loading. */
  readonly live: LiveVersion | undefined;
  /** As the server would store it; undefined until it has checked it. */
  readonly draft: ComparedVersion | undefined;
  /** The differences in a few words each. */
  readonly changes: readonly string[];
  /** Why one of the two could not be loaded; null if both can. */
  readonly error: unknown;
  readonly refetch: () => void;
}

type LiveVersion = ComparedVersion & { readonly version: number };

export function useDraftComparison({ dryRun, isChecking }: Capture): DraftComparison {
  const { slug, dialect } = useWorkbench();
  const { snapshot } = usePresetActions();
  const { data: live, error, refetch } = useVersion(slug, snapshot.preset.designated_version.version);
  const checked = isChecking || dryRun.isPlaceholderData ? undefined : dryRun.data;
  const draft = useMemo(
    () => checked && { ...checked.data.designated_version, presetd: checked.presetd, dialect },
    [checked, dialect],
  );
  const changes = useMemo(() => (live && draft ? describeChanges(live, draft) : []), [live, draft]);
  return {
    live,
    draft,
    changes,
    error: error ?? (isChecking ? null : dryRun.error),
    refetch: () => {
      if (error) void refetch();
      if (dryRun.error) void dryRun.refetch();
    },
  };
}

interface DraftDiffProps {
  readonly live: LiveVersion;
  readonly draft: ComparedVersion;
}

export function DraftDiff({ live, draft }: DraftDiffProps) {
  return <VersionDiff from={live} to={draft} titles={[`Version ${live.version} (live)`, 'Draft']} />;
}

export function DraftDiffDialog({ onClose, ...diff }: DraftDiffProps & { readonly onClose: () => void }) {
  return (
    <Dialog title={`Draft compared with version ${diff.live.version} (live)`} onClose={onClose} isWide>
      <DialogBody footer={<Button onClick={onClose}>Close</Button>}>
        <DraftDiff {...diff} />
      </DialogBody>
    </Dialog>
  );
}
