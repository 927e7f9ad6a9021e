/**
 * The preset page's actions, shared with every component on the page.
 *
 * `usePageActions` creates them and `PresetLayout` provides them. Changes without a dialog run
 * through `perform`; those that need a confirmation or input open a dialog with `openDialog`.
 */

import { createContext, useCallback, useContext, useEffect, useState } from 'react';
import { isStatus } from '../../api/api-error.ts';
import { type PresetSnapshot, snapshotAfter, useChangePreset } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { messageOf } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import type { PresetAction } from './preset-action.ts';

/** A dialog to open. */
type DialogRequest =
  | { readonly kind: 'edit' | 'disable' | 'archive' | 'add-alias' }
  | { readonly kind: 'remove-alias'; readonly alias: string }
  | { readonly kind: 'make-live' | 'add-label'; readonly version: number }
  | { readonly kind: 'move-label'; readonly label: string; readonly version: number };

export interface PresetActions {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  /** Whether the user may change the preset in its current status. */
  readonly canChange: boolean;
  /** Whether they may also change what callers get: live version, status and slug. */
  readonly canRelease: boolean;
  readonly isBusy: boolean;
  /**
   * Runs a change right away, against the state on screen. Resolves to whether it was made; the
   * page shows why not.
   */
  perform(action: PresetAction): Promise<boolean>;
  openDialog(question: DialogRequest): void;
  /** Stays at the URL of a preset that was renamed, until the returned function is called. */
  pauseRedirect(): () => void;
  /** Confirms a change in a toast that offers to undo it. */
  announce(action: PresetAction, after: PresetSnapshot): void;
}

const PresetActionsContext = createContext<PresetActions | undefined>(undefined);

export const PresetActionsProvider = PresetActionsContext.Provider;

export function usePresetActions(): PresetActions {
  const actions = useContext(PresetActionsContext);
  if (actions === undefined) throw new Error('usePresetActions must be used inside PresetLayout.');
  return actions;
}

/**
 * For dialogs of a tab: while one is open, the page stays at its address if someone renames the
 * preset. Moving to the new one would close the dialog, and lose what the user has typed in it.
 */
export function usePausedRedirect(isOpen: boolean): void {
  const { pauseRedirect } = usePresetActions();
  useEffect(() => (isOpen ? pauseRedirect() : undefined), [isOpen, pauseRedirect]);
}

/** An open dialog, and the preset when it was opened: the user confirms a change to that state. */
export interface OpenDialog {
  readonly request: DialogRequest;
  readonly snapshot: PresetSnapshot;
}

/** State and actions of the preset page: the open dialog, and changes that need none. */
export function usePageActions(slug: string, snapshot: PresetSnapshot) {
  const { may } = useSession();
  const showToast = useToast();
  const [dialog, setDialog] = useState<OpenDialog>();
  const { send, isBusy, error, conflict, reset } = useGuardedChange(slug);
  const [pauseCount, setPauseCount] = useState(0);
  const pauseRedirect = useCallback(() => {
    setPauseCount((count) => count + 1);
    return () => setPauseCount((count) => count - 1);
  }, []);

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
    send(action, before).then(
      (after) => {
        announce(action, after);
        return true;
      },
      () => false,
    );

  const actions: PresetActions = {
    slug,
    snapshot,
    // An archived preset can only be restored, which has its own button.
    canChange: may('write') && snapshot.preset.status !== 'archived',
    canRelease: may('release') && snapshot.preset.status !== 'archived',
    isBusy,
    perform: (action) => perform(action, snapshot),
    openDialog: (request) => setDialog({ request, snapshot }),
    pauseRedirect,
    announce,
  };
  return {
    actions,
    /** An open dialog keeps what the user typed. */
    canRedirect: dialog === undefined && conflict === undefined && pauseCount === 0,
    dialog,
    close: () => setDialog(undefined),
    error,
    conflict,
    dismiss: reset,
    retry: perform,
  };
}

/** A change, and the state on screen when the user made it. */
interface Attempt {
  readonly action: PresetAction;
  readonly before: PresetSnapshot;
}

/**
 * Changes a preset only if it is still in the state that the user saw (`If-Match`). Otherwise
 * `conflict` holds the attempt, to be shown in a `ConflictDialog`.
 */
export function useGuardedChange(slug: string) {
  const { mutateAsync, isPending, error, reset } = useChangePreset(slug);
  const [attempt, setAttempt] = useState<Attempt>();
  const isConflict = isStatus(error, 412);

  return {
    isBusy: isPending,
    conflict: isConflict ? attempt : undefined,
    error: isConflict ? null : error,
    reset,
    /** Rejects with the server's error, which is also available as `error` or `conflict`. */
    async send(action: PresetAction, before: PresetSnapshot): Promise<PresetSnapshot> {
      setAttempt({ action, before });
      return snapshotAfter(before, await mutateAsync({ change: action.change, etag: before.etag }));
    },
  };
}
