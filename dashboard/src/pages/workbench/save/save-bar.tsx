import { useState } from 'react';
import { useRefetchOnRelease } from '../../../api/presets.ts';
import { useSession } from '../../../api/session.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { useCommands } from '../../../components/commands.ts';
import { useStore } from '../../../components/store.ts';
import { useToast } from '../../../components/toasts.tsx';
import type { DraftState } from '../../../features/drafts/draft-sender.ts';
import { type BasedDraft, discardedDrafts } from '../../../features/preset-changes/undo-offers.ts';
import { usePausedRedirect, usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { type DraftComparison, DraftDiffDialog, useDraftComparison } from './draft-comparison.tsx';
import { DraftStatus, OtherDrafts } from './draft-status.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { useDraftProblem } from './use-draft-problem.ts';
import { type SaveTargets, useSave, useUndoSave } from './use-save.ts';

interface SaveBarProps extends SaveTargets {
  /** Shows a place in the request. */
  readonly onReveal: (offset: number) => void;
  readonly draftState: DraftState;
  readonly onDiscard: () => void;
  readonly isDiscarding: boolean;
  /** Puts a draft back that was discarded. */
  readonly onRestoreDiscarded: (discarded: BasedDraft) => void;
}

/** The state of the draft, and what can be done with it. */
export function SaveBar(props: SaveBarProps) {
  const { capture, isChanged, onReveal, draftState, onDiscard, isDiscarding } = props;
  const { slug, base, canEdit, snapshot } = useWorkbench();
  const { canRelease, openDialog } = usePresetActions();
  const session = useSession();
  const showToast = useToast();
  const live = snapshot.preset.designated_version.version;
  const liveAtStart = useLiveAtStart(live, isChanged);
  const comparison = useDraftComparison(capture);
  const problem = useDraftProblem(capture, onReveal);
  const save = useSave(props);
  const { release, undoRelease, isUndoing } = useUndoSave(props);
  const discarded = useStore(discardedDrafts.of(session), (all) => all.get(snapshot.preset.id)?.[0]);
  // As the user has opened it: the preset may be read again meanwhile.
  const [shownDiff, setShownDiff] = useState<DraftComparison>();
  // The draft is about to be replaced, which must not happen behind a dialog that shows it.
  const isBusy = isDiscarding || isUndoing;
  const canSave = isChanged && problem.canSave && !isBusy;
  const canMakeLive = canRelease && !isChanged && base !== live;
  // Without a release, there is nothing to undo but the text, and a newer one is kept.
  const undoable = release?.liveBefore !== undefined || !isChanged ? release : undefined;
  const restorable = canEdit ? discarded : undefined;
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
    restorable && {
      title: 'Restore earlier draft',
      group: 'Workbench',
      isDisabled: isBusy,
      run: () => props.onRestoreDiscarded(restorable),
    },
    isChanged &&
      canEdit && { title: 'Discard draft', group: 'Workbench', isDisabled: isBusy, run: onDiscard },
  ]);

  usePausedRedirect(save.dialog !== undefined || shownDiff !== undefined);
  useRefetchOnRelease(snapshot, save.dialog !== undefined);
  return (
    <>
      <div className={styles.bar}>
        <div className={classNames(styles.barStatus, isChanged && styles.barDraft)}>
          <DraftStatus
            isChanged={isChanged}
            draftState={draftState}
            release={release}
            problem={problem.text}
            onShowProblem={problem.show}
            changes={comparison.changes}
            onCompare={compare}
          />{' '}
          {/* Far from Discard draft, which appears as soon as a save is undone. */}
          {undoable && (
            <Button isSmall isBusy={isUndoing} disabled={isDiscarding} onClick={() => undoRelease(undoable)}>
              Undo
            </Button>
          )}{' '}
          {restorable && (
            <Button isSmall isBusy={isDiscarding} onClick={() => props.onRestoreDiscarded(restorable)}>
              Restore earlier draft
            </Button>
          )}
        </div>
        {/* Not a notice, which would move the field: most texts are incomplete while they are typed. */}
        {problem.incompleteField !== undefined && (
          <span className={styles.tools}>
            <Badge tone="warning">{problem.incompleteField.label} is incomplete</Badge>
            <Button isSmall onClick={problem.discardIncomplete}>
              Discard text
            </Button>
          </span>
        )}
        <span role="status">
          {live !== liveAtStart && !save.isPending && (
            <>
              <Badge tone="warning">Version {live} is live now</Badge>{' '}
            </>
          )}
          <OtherDrafts slug={slug} />
        </span>
        {canEdit && (
          <div className={styles.tools}>
            {isChanged && (
              <Button isBusy={isDiscarding} disabled={isUndoing} onClick={onDiscard}>
                Discard draft
              </Button>
            )}
            {!canMakeLive && (
              <Button disabled={!canSave} onClick={() => save.open('save')}>
                Save…
              </Button>
            )}
            {canRelease && (
              <Button
                variant="primary"
                disabled={canMakeLive ? isBusy : !canSave}
                onClick={canMakeLive ? makeLive : () => save.open('release')}
              >
                {canMakeLive ? 'Make live…' : 'Save and make live…'}
              </Button>
            )}
          </div>
        )}
      </div>
      {shownDiff?.live && shownDiff.draft && (
        <DraftDiffDialog
          live={shownDiff.live}
          draft={shownDiff.draft}
          onClose={() => setShownDiff(undefined)}
        />
      )}
      {save.dialog !== undefined && (
        <SaveDialog
          isRelease={save.dialog === 'release'}
          save={save}
          comparison={comparison}
          liveAtStart={liveAtStart}
        />
      )}
    </>
  );
}

/** The version that was live when the draft on screen was started or opened. */
function useLiveAtStart(live: number, isChanged: boolean): number {
  const [atStart, setAtStart] = useState(live);
  if (!isChanged && atStart !== live) setAtStart(live);
  return atStart;
}
