import { useState } from 'react';
import { isStatus } from '../api/api-error.ts';
import { type PresetSnapshot, useChangePreset } from '../api/presets.ts';
import { ConflictDialog } from '../preset/conflict-dialog.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { messageOf } from '../ui/error-notice.tsx';
import { useToast } from '../ui/toasts.tsx';
import { VersionComparison } from './version-comparison.tsx';

interface MakeLiveDialogProps {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  readonly version: number;
  readonly onClose: () => void;
}

/** Shows what would change for callers before it makes a version live. */
export function MakeLiveDialog({ slug, snapshot, version, onClose }: MakeLiveDialogProps) {
  // The state that the user is deciding on. If it changes meanwhile, the server returns 412.
  const [before, setBefore] = useState(snapshot);
  const { mutateAsync, isPending, error, reset } = useChangePreset(slug);
  const showToast = useToast();
  const live = before.preset.designated_version.version;

  const designate = async (designated: number, etag: string | undefined) => {
    const { headers } = await mutateAsync({
      method: 'PATCH',
      body: { designated_version: designated },
      etag,
    });
    return headers.get('etag') ?? undefined;
  };
  // Only if nobody has changed the preset since: the ETag is that of our own change.
  const undo = async (etag: string | undefined) => {
    try {
      await designate(live, etag);
      showToast(`Version ${live} is live again`);
    } catch (failure) {
      showToast(
        isStatus(failure, 412)
          ? 'Could not undo: the preset has changed since'
          : `Could not undo: ${messageOf(failure)}`,
      );
    }
  };
  const submit = async () => {
    try {
      const etag = await designate(version, before.etag);
      onClose();
      showToast(`Version ${version} is live`, () => void undo(etag));
    } catch {
      // The dialog shows the error.
    }
  };

  if (isStatus(error, 412))
    return (
      <ConflictDialog
        slug={slug}
        before={before}
        onClose={onClose}
        onRetry={(now) => {
          setBefore(now);
          reset();
        }}
      />
    );
  return (
    <FormDialog
      title={`Make version ${version} live?`}
      submitLabel={`Make version ${version} live`}
      onSubmit={() => void submit()}
      onClose={onClose}
      isBusy={isPending}
      canSubmit={version !== live}
      error={error}
      isWide
    >
      {version === live ? (
        <p>Version {version} is already live.</p>
      ) : (
        <>
          <p>
            Calls to <code>@preset/{slug}</code> will use version {version} instead of version {live}. Calls
            that name a version or label are not affected. You can make version {live} live again at any time.
          </p>
          <VersionComparison slug={slug} from={live} to={version} />
        </>
      )}
    </FormDialog>
  );
}
