import { useState } from 'react';
import { useRefetchOnRelease } from '../../../api/presets.ts';
import { useSession } from '../../../api/session.ts';
import { useCommands } from '../../../components/commands.ts';
import { useStore } from '../../../components/store.ts';
import { useToast } from '../../../components/toasts.tsx';
import { type BasedDraft, discardedDrafts } from '../../../features/preset-changes/undo-offers.ts';
import { usePausedRedirect, usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { useWorkbench } from '../workbench.ts';
import { type DraftComparison, useDraftComparison } from './draft-comparison.tsx';
import { useDraftProblem } from './use-draft-problem.ts';
import { type SaveTargets, useSave, useUndoSave } from './use-save.ts';

export interface SaveActionOptions extends SaveTargets {
  /** Shows a place in the request. */
  readonly onReveal: (offset: number) => void;
  readonly onDiscard: () => void;
  readonly isDiscarding: boolean;
  /** Puts a draft back that was discarded. */
  readonly onRestoreDiscarded: (discarded: BasedDraft) => void;
}

/** The actions that the draft allows now, which are also commands. */
export function useSaveActions(options: SaveActionOptions) {
  const { capture, isChanged, onReveal, onDiscard, isDiscarding, onRestoreDiscarded } = options;
  const { base, canEdit } = useWorkbench();
  const { snapshot, canRelease, openDialog } = usePresetActions();
  const session = useSession();
  const showToast = useToast();
  const live = snapshot.preset.designated_version.version;
  const comparison = useDraftComparison(capture);
  const problem = useDraftProblem(capture, onReveal);
  const save = useSave(options);
  const { release, undoRelease, isUndoing } = useUndoSave(options);
  const discarded = useStore(discardedDrafts.of(session), (all) => all.get(snapshot.preset.id)?.[0]);
  // As the user has opened it: the preset may be read again meanwhile.
  const [shownDiff, setShownDiff] = useState<DraftComparison>();
  // The draft is about to be replaced, which must not happen behind a dialog that shows it.
  const isBusy = isDiscarding || isUndoing;
  const canSave = isChanged && problem.canSave && !isBusy;
  const canMakeLive = canRelease && !isChanged && base !== live;
  // Without a release, there is nothing to undo but the text, and a newer one is kept.
  const undoable = release?.liveBefore !== undefined || !isChanged ? release : undefined;
  const undo = undoable && (() => undoRelease(undoable));
  const restoreDiscarded = discarded && canEdit ? () => onRestoreDiscarded(discarded) : undefined;
  const makeLive = () => openDialog({ kind: 'make-live', version: base });
  const compare = () => setShownDiff(comparison);
  useCommands([
    canEdit && {
      title: 'Save version',
      group: 'Workbench',
      keys: 'Mod+S',
      isDisabled: isBusy,
      run: () => {
        if (!isChanged && problem.incompleteField === undefined)
          showToast(`No changes since version ${base}`);
        else if (problem.canSave) save.open('save');
        else problem.show();
      },
    },
    canRelease && {
      title: 'Save and make live',
      group: 'Workbench',
      keywords: 'release publish deploy',
      isDisabled: !canSave,
      run: () => save.open('release'),
    },
    canMakeLive && {
      title: `Make version ${base} live`,
      group: 'Workbench',
      keywords: 'release publish deploy',
      isDisabled: isBusy,
      run: makeLive,
    },
    comparison.changes.length > 0 && {
      title: `Compare the draft with version ${live}`,
      group: 'Workbench',
      keywords: 'diff changes',
      run: compare,
    },
    undoable && {
      title:
        undoable.liveBefore === undefined
          ? `Undo saving version ${undoable.version}`
          : `Undo making version ${undoable.version} live`,
      group: 'Workbench',
      isDisabled: isBusy,
      run: () => undoRelease(undoable),
    },
    restoreDiscarded && {
      title: 'Restore earlier draft',
      group: 'Workbench',
      isDisabled: isBusy,
      run: restoreDiscarded,
    },
    isChanged &&
      canEdit && { title: 'Discard draft', group: 'Workbench', isDisabled: isBusy, run: onDiscard },
  ]);
  usePausedRedirect(save.dialog !== undefined || shownDiff !== undefined);
  useRefetchOnRelease(snapshot, save.dialog !== undefined);

  return {
    ...{ comparison, problem, save, release, isUndoing, isBusy, canSave, canRelease },
    compare,
    shownDiff,
    closeDiff: () => setShownDiff(undefined),
    /** Undefined if there is nothing to undo or restore. */
    undo,
    restoreDiscarded,
    /** Undefined if the version on screen is live, or a draft. */
    makeLive: canMakeLive ? makeLive : undefined,
  };
}
