import { type ReactNode, useState } from 'react';
import { Badge } from '../../../components/badge.tsx';
import { InBarSlot } from '../../../components/bar-slot.tsx';
import { Button } from '../../../components/button.tsx';
import type { DraftState } from '../../../features/drafts/draft-sender.ts';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { UsageMenu } from '../../../features/version-usage/usage-menu.tsx';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { DraftDiffDialog } from './draft-comparison.tsx';
import { DraftStatus, OtherDrafts } from './draft-status.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { type SaveActionOptions, useSaveActions } from './use-save-actions.ts';

interface SaveBarProps extends SaveActionOptions {
  readonly draftState: DraftState;
  /** Shown before the state of the draft. */
  readonly children: ReactNode;
}

/**
 * The state of the draft, and what can be done with it, on one line beside the tabs of the preset.
 * It keeps its height whatever it says, so that nothing moves while somebody types.
 */
export function SaveBar({ draftState, children, ...options }: SaveBarProps) {
  const { isChanged, onDiscard, isDiscarding } = options;
  const { slug, base, canEdit } = useWorkbench();
  const { snapshot } = usePresetActions();
  const live = snapshot.preset.designated_version.version;
  const liveAtStart = useLiveAtStart(live, isChanged);
  const actions = useSaveActions(options);
  const { save, problem, comparison, shownDiff, canSave, makeLive, undo, restoreDiscarded } = actions;
  return (
    <>
      <InBarSlot>
        <div className={styles.bar}>
          <div className={styles.barStatus}>
            {children}
            <DraftStatus
              isChanged={isChanged}
              draftState={draftState}
              release={actions.release}
              problem={problem.text}
              onShowProblem={problem.show}
              changes={comparison.changes}
              onCompare={actions.compare}
            />
            {/* Far from Discard draft, which appears as soon as a save is undone. */}
            {undo && (
              <Button isSmall isBusy={actions.isUndoing} disabled={isDiscarding} onClick={undo}>
                Undo
              </Button>
            )}
            {restoreDiscarded && (
              <Button isSmall isBusy={isDiscarding} onClick={restoreDiscarded}>
                Restore earlier draft
              </Button>
            )}
            {problem.incompleteField !== undefined && (
              <>
                <Badge tone="warning">{problem.incompleteField.label} is incomplete</Badge>
                <Button isSmall onClick={problem.discardIncomplete}>
                  Discard text
                </Button>
              </>
            )}
            <span role="status" className={styles.others}>
              {live !== liveAtStart && !save.isPending && (
                <Badge tone="warning">Version {live} is live now</Badge>
              )}
              <OtherDrafts slug={slug} />
            </span>
            <span className={styles.usage}>
              <UsageMenu preset={snapshot.preset} base={base} />
            </span>
          </div>
          {canEdit && (
            <div className={styles.tools}>
              {isChanged && (
                <Button isBusy={isDiscarding} disabled={actions.isUndoing} onClick={onDiscard}>
                  Discard draft
                </Button>
              )}
              {!makeLive && (
                <Button disabled={!canSave} onClick={() => save.open('save')}>
                  Save…
                </Button>
              )}
              {actions.canRelease && (
                <Button
                  variant="primary"
                  disabled={makeLive ? actions.isBusy : !canSave}
                  onClick={makeLive ?? (() => save.open('release'))}
                >
                  {makeLive ? 'Make live…' : 'Save and make live…'}
                </Button>
              )}
            </div>
          )}
        </div>
      </InBarSlot>
      {shownDiff?.live && shownDiff.draft && (
        <DraftDiffDialog live={shownDiff.live} draft={shownDiff.draft} onClose={actions.closeDiff} />
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
