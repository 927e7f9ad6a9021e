import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { useSession } from '../session/session.tsx';
import { restore } from './preset-action.ts';
import { usePresetActions } from './preset-actions.tsx';

/** What it means that a preset is not active, and the way out. */
export function StatusNotice() {
  const { seen, canChange, act, isBusy } = usePresetActions();
  const { canWrite } = useSession();
  const { status } = seen.preset;
  if (status === 'disabled')
    return (
      <Notice kind="warning" title="Disabled">
        Calls to this preset are refused until it is enabled. It can still be read and changed
        {canChange ? ', but has to be enabled before it can be archived.' : '.'}
      </Notice>
    );
  if (status !== 'archived') return null;
  return (
    <Notice
      kind="warning"
      title="Archived"
      actions={
        canWrite && (
          <Button isSmall isBusy={isBusy} onClick={() => act(restore)}>
            Restore
          </Button>
        )
      }
    >
      Calls to this preset are refused. Its slug and its history are kept. Restore it to change it.
    </Notice>
  );
}
