import { useState } from 'react';
import { isStatus } from '../api/api-error.ts';
import type { PresetSnapshot } from '../api/presets.ts';
import { useSession } from '../session/session.tsx';
import { messageOf } from '../ui/error-notice.tsx';
import { useToast } from '../ui/toasts.tsx';
import type { PresetAction } from './preset-action.ts';
import type { DialogRequest, PresetActions } from './preset-actions-context.tsx';
import { useGuardedChange } from './use-guarded-change.ts';

/** An open dialog, and the preset when it was opened: the user confirms a change to that state. */
export interface OpenDialog {
  readonly request: DialogRequest;
  readonly snapshot: PresetSnapshot;
}

/** State and actions of the preset page: the open dialog, and changes that need none. */
export function usePageActions(slug: string, snapshot: PresetSnapshot) {
  const { canWrite } = useSession();
  const showToast = useToast();
  const [dialog, setDialog] = useState<OpenDialog>();
  const [shownVersion, setShownVersion] = useState<number>();
  const { send, isBusy, error, conflict, reset } = useGuardedChange(slug);

  const announce = (action: PresetAction, after: PresetSnapshot) => {
    const { undo } = action;
    showToast(action.message, undo && (() => revert(undo, after)));
  };
  // The user may have left the page, so the outcome is shown in a toast.
  const revert = (undo: PresetAction, before: PresetSnapshot) =>
    void send(undo, before).then(
      () => showToast(undo.message),
      (reason: unknown) =>
        showToast(
          isStatus(reason, 412)
            ? 'Could not undo: someone else changed the preset'
            : `Could not undo: ${messageOf(reason)}`,
        ),
    );
  const perform = (action: PresetAction, before: PresetSnapshot) =>
    void send(action, before).then(
      (after) => announce(action, after),
      () => undefined,
    );

  const actions: PresetActions = {
    slug,
    snapshot,
    // An archived preset can only be restored, which has its own button.
    canChange: canWrite && snapshot.preset.status !== 'archived',
    isBusy,
    shownVersion: shownVersion ?? snapshot.preset.designated_version.version,
    setShownVersion,
    perform: (action) => perform(action, snapshot),
    openDialog: (request) => setDialog({ request, snapshot }),
    announce,
  };
  return {
    actions,
    dialog,
    close: () => setDialog(undefined),
    error,
    conflict,
    dismiss: reset,
    retry: perform,
  };
}
