import { useSession } from '../session/session.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { restore } from './preset-action.ts';
import { usePresetActions } from './preset-actions-context.tsx';

/** Explains what a disabled or archived status means for callers, and how to change it. */
export function StatusNotice() {
  const { snapshot, canChange, perform, isBusy } = usePresetActions();
  const { canWrite } = useSession();
  const { status } = snapshot.preset;
  if (status === 'disabled')
    return (
      <Notice kind="warning" title="Disabled">
        Calls to this preset fail with status 403.
        {canChange && ' You can still edit it. To archive it, enable it first.'}
      </Notice>
    );
  if (status !== 'archived') return null;
  return (
    <Notice
      kind="warning"
      title="Archived"
      actions={
        canWrite && (
          <Button isSmall isBusy={isBusy} onClick={() => perform(restore)}>
            Restore
          </Button>
        )
      }
    >
      Calls to this preset fail with status 404. Its slug and history are kept. Restore it to make changes.
    </Notice>
  );
}
