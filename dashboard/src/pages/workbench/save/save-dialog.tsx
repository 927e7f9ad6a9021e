import { Link } from 'wouter';
import { isStatus } from '../../../api/api-error.ts';
import type { PresetSnapshot } from '../../../api/presets.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/fields.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Pending } from '../../../components/pending.tsx';
import { comparePath } from '../../../components/preset-links.ts';
import { noteLength } from '../../../features/capture/save-options.ts';
import { UpstreamIssueNotice } from '../../../features/capture/upstream-issue-notice.tsx';
import { BrokenCalls, breaksCalls, submitButton } from '../../../features/preset-changes/broken-calls.tsx';
import { ConflictDialog } from '../../../features/preset-changes/conflict-dialog.tsx';
import { LabelMoves } from '../../../features/preset-changes/label-moves.tsx';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { CallersLine } from '../../../features/version-usage/callers-line.tsx';
import { useDraft, useWorkbench } from '../workbench.ts';
import { type DraftComparison, DraftDiff } from './draft-comparison.tsx';
import type { useSave } from './use-save.ts';

interface SaveDialogProps {
  readonly isRelease: boolean;
  /** Keeps what the user enters: it outlives a dialog that is closed or gives way to a conflict. */
  readonly save: ReturnType<typeof useSave>;
  readonly comparison: DraftComparison;
  /** The version that was live when the draft was started. */
  readonly liveAtStart: number;
}

/** The last look at a draft before it becomes a version: a note, and the difference to live. */
export function SaveDialog({ isRelease, save, comparison, liveAtStart }: SaveDialogProps) {
  const { slug, base } = useWorkbench();
  const request = useDraft(({ body }) => body);
  const { latest, preset } = usePresetActions().snapshot;
  const { live, draft, error: comparisonError } = comparison;
  const { hint = 'Shown in the history.', error: noteError } = noteLength(save.note);
  const canCompare = live !== undefined && draft !== undefined;
  const isBreaking = isRelease && canCompare && breaksCalls(live, draft);
  const isRisky = save.doubts.length > 0 || isBreaking;
  return (
    <FormDialog
      title={isRelease ? 'Save and make live' : 'Save version'}
      {...submitButton(isRelease ? 'Save and make live' : 'Save', isRisky)}
      // Nothing goes live that the user could not compare, unless that is impossible.
      canSubmit={!isRelease || canCompare || comparisonError != null}
      onSubmit={() => noteError === undefined && save.save()}
      onClose={save.close}
      change={{ ...save, conflict: save.outdated && <SaveConflict save={save} before={save.outdated} /> }}
      errorTitle={`${isStatus(save.error, 0) ? 'Could not confirm that it was saved' : 'Not saved'}. Your draft is still here.`}
      isWide
    >
      <p>
        {isRelease
          ? `Calls use the new version at once${live ? `, instead of version ${live.version}` : ''}.`
          : `Calls keep using ${live ? `version ${live.version}` : 'the live version'}.`}
      </p>
      {isRelease && <CallersLine preset={preset} isLive labels={save.movedLabels} />}
      {latest > base && (
        <Notice kind="warning" title={`Version ${latest} was saved after you started from version ${base}`}>
          {live?.version === latest ? (
            'Make sure the diff below does not revert a change that you want to keep.'
          ) : (
            <>
              Your draft does not include it.{' '}
              <Link href={comparePath(slug, { from: base, to: latest })} target="_blank">
                See what it changed
              </Link>
              .
            </>
          )}
        </Notice>
      )}
      {isRelease && live !== undefined && live.version !== liveAtStart && live.version !== latest && (
        <Notice
          kind="warning"
          title={`Version ${live.version} replaced version ${liveAtStart} as the live one while you were editing`}
        >
          It may have been rolled back for a reason. Ask before you replace it.
        </Notice>
      )}
      {save.doubts.length > 0 && <UpstreamIssueNotice issues={save.doubts} request={request} />}
      {isRelease && canCompare && <BrokenCalls slug={slug} from={live} to={draft} />}
      <TextField
        label="Note"
        lines={2}
        value={save.note}
        onChange={save.changeNote}
        placeholder="What changed, and why"
        hint={hint}
        error={noteError}
        focusOnMount
      />
      {isRelease && live !== undefined && (
        <LabelMoves
          labels={save.labels}
          to="the new version"
          moved={save.movedLabels}
          onChange={save.moveLabels}
        />
      )}
      {canCompare ? (
        <DraftDiff live={live} draft={draft} />
      ) : (
        <Pending
          query={comparison}
          title="Could not compare with the live version"
          label="Comparing with the live version"
        />
      )}
    </FormDialog>
  );
}

function SaveConflict({ save, before }: Pick<SaveDialogProps, 'save'> & { readonly before: PresetSnapshot }) {
  const { slug } = useWorkbench();
  return (
    <ConflictDialog
      slug={slug}
      before={before}
      onClose={save.close}
      closeLabel="Keep editing"
      onRetry={(now) => save.save(now)}
    />
  );
}
