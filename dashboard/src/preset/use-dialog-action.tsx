import type { ReactNode } from 'react';
import type { SeenPreset } from '../api/presets.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { type PresetAction, withoutUndo } from './preset-action.ts';
import { usePresetActions } from './preset-actions.tsx';
import { useGuardedChange } from './use-guarded-change.ts';

interface DialogAction {
  readonly isBusy: boolean;
  /** Anything but a conflict. */
  readonly error: unknown;
  /** To be shown in the place of the dialog. */
  readonly conflict: ReactNode;
  run(action: PresetAction, before: SeenPreset): void;
}

/** The action behind a dialog, which closes once it is done. `onSeen` is for a dialog that goes on after a conflict. */
export function useDialogAction(onClose: () => void, onSeen?: (now: SeenPreset) => void): DialogAction {
  const { slug, announce } = usePresetActions();
  const { send, isBusy, error, conflict, reset } = useGuardedChange(slug);

  const run = (action: PresetAction, before: SeenPreset) => {
    const finish = (after: SeenPreset) => {
      announce(action, after);
      onClose();
    };
    send(action, before).then(finish, () => undefined);
  };
  const leave = (now?: SeenPreset) => {
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
        onClose={leave}
        onRetry={(now) => run(withoutUndo(conflict.action), now)}
        {...(onSeen && { closeLabel: 'Back to what I typed' })}
      />
    ),
  };
}
