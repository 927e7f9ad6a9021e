import { useState } from 'react';
import { isStatus } from '../api/api-error.ts';
import { type SeenPreset, useChangePreset } from '../api/presets.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { messageOf } from '../parts/error-notice.tsx';
import { useToast } from '../parts/toasts.tsx';
import { ConflictDialog } from '../preset/conflict-dialog.tsx';
import { TwoVersions } from './two-versions.tsx';

interface MakeLiveDialogProps {
  readonly slug: string;
  readonly seen: SeenPreset;
  readonly version: number;
  readonly onClose: () => void;
}

/** Asks before calls get another version, and shows what that changes. */
export function MakeLiveDialog({ slug, seen, version, onClose }: MakeLiveDialogProps) {
  // What the person looks at while deciding: when it is not so any more, the server says so.
  const [before, setBefore] = useState(seen);
  const { mutateAsync, isPending, error, reset } = useChangePreset(slug);
  const tell = useToast();
  const live = before.preset.designated_version.version;

  const designate = async (designated: number, etag: string | undefined) => {
    const { headers } = await mutateAsync({
      method: 'PATCH',
      body: { designated_version: designated },
      etag,
    });
    return headers.get('etag') ?? undefined;
  };
  const undo = async (etag: string | undefined) => {
    try {
      await designate(live, etag);
      tell(`Version ${live} is live again.`);
    } catch (failure) {
      tell(
        isStatus(failure, 412)
          ? 'Not undone: the preset was changed again meanwhile.'
          : `Not undone: ${messageOf(failure)}`,
      );
    }
  };
  const submit = async () => {
    try {
      const etag = await designate(version, before.etag);
      onClose();
      tell(`Version ${version} is live.`, () => void undo(etag));
    } catch {
      // The dialog shows it.
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
        <p>Version {version} is live already.</p>
      ) : (
        <>
          <p>
            From now on, calls to <code>@preset/{slug}</code> use version {version} instead of version {live}.
            Version {live} stays in the history and can be made live again. Calls that name a version or a
            label stay as they are.
          </p>
          <TwoVersions slug={slug} from={live} to={version} />
        </>
      )}
    </FormDialog>
  );
}
