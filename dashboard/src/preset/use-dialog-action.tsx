import type { ReactNode } from 'react';
import type { PresetSnapshot } from '../api/presets.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { type PresetAction, withoutUndo } from './preset-action.ts';
import { usePresetActions } from './preset-actions-context.tsx';
import { useGuardedChange } from './use-guarded-change.ts';

interface DialogAction {
  readonly isBusy: boolean;
  /** Any error except a conflict. */
  readonly error: unknown;
  /** Render this instead of the dialog if it is set. */
  readonly conflict: ReactNode;
  run(action: PresetAction, before: PresetSnapshot): void;
}

/**
 * Runs a dialog's change and closes the dialog once it is made. Pass `onSeen` to continue in the
 * dialog after a conflict, with the latest state.
 */
export function useDialogAction(onClose: () => void, onSeen?: (now: PresetSnapshot) => void): DialogAction {
  const { slug, announce } = usePresetActions();
  const { send, isBusy, error, conflict, reset } = useGuardedChange(slug);

  const run = (action: PresetAction, before: PresetSnapshot) => {
    const finish = (after: PresetSnapshot) => {
      announce(action, after);
      onClose();
    };
    // Failures are rendered from `error` and `conflict`.
    send(action, before).then(finish, () => undefined);
  };
  const leaveConflict = (now?: PresetSnapshot) => {
    if (onSeen === undefined || now === undefined) return onClose();
    onSeen(now);
    reset();
  };

  return {
    isBusy,
    error,
    run,
    conflict: conflict && (
      <ConflictDialog
        slug={slug}
        before={conflict.before}
        onClose={leaveConflict}
        onRetry={(now) => run(withoutUndo(conflict.action), now)}
        {...(onSeen && { closeLabel: 'Keep editing' })}
      />
    ),
  };
}
