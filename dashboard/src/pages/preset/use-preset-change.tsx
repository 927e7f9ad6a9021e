import type { PresetSnapshot } from '../../api/presets.ts';
import type { DialogChange } from '../../components/dialog.tsx';
import { ConflictDialog } from '../../features/preset-changes/conflict-dialog.tsx';
import { type PresetAction, withoutUndo } from '../../features/preset-changes/preset-action.ts';
import { useGuardedChange, usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';

interface PresetDialogChange extends DialogChange {
  run(action: PresetAction, before: PresetSnapshot): void;
  /** Forgets the last failure. */
  reset(): void;
}

/**
 * Runs a dialog's change and closes the dialog once it is made. Pass `onSeen` to continue in the
 * dialog after a conflict, with the latest state.
 */
export function usePresetChange(
  onClose: () => void,
  onSeen?: (now: PresetSnapshot) => void,
): PresetDialogChange {
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
  const dismissConflict = (now?: PresetSnapshot) => {
    if (onSeen === undefined) return onClose();
    // Without the latest state, which is still loading, the next attempt ends in the same conflict.
    if (now !== undefined) onSeen(now);
    reset();
  };

  return {
    isPending: isBusy,
    error,
    run,
    reset,
    conflict: conflict && (
      <ConflictDialog
        slug={slug}
        before={conflict.before}
        onClose={dismissConflict}
        onRetry={(now) => run(withoutUndo(conflict.action), now)}
        {...(onSeen && { closeLabel: 'Keep editing' })}
      />
    ),
  };
}
