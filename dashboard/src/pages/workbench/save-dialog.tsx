import { Link } from 'wouter';
import { isStatus } from '../../api/api-error.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { comparePath } from '../../components/preset-links.ts';
import { noteLength } from '../../features/capture/save-options.ts';
import { type ComparedVersion, VersionDiff } from '../../features/comparison/version-diff.tsx';
import { LabelMoves } from '../../features/preset-changes/label-moves.tsx';
import type { PlacedLabel } from '../../features/preset-changes/move-labels.ts';
import { useWorkbench } from './workbench.ts';

interface SaveDialogProps {
  readonly isRelease: boolean;
  /** Kept by the owner: they outlive a dialog that is closed or gives way to a conflict. */
  readonly options: SaveOptions;
  readonly onChange: (options: SaveOptions) => void;
  /** The version that the draft started from, and the latest one. */
  readonly base: number;
  readonly latest: number;
  /** The live version; undefined while it is loading. */
  readonly live: (ComparedVersion & { readonly version: number }) | undefined;
  /** The one that was live when the draft was started. */
  readonly liveAtStart: number;
  /** The draft as it would be saved; undefined while it is checked. */
  readonly draft: ComparedVersion | undefined;
  /** Why one of the two could not be loaded. */
  readonly comparisonError: unknown;
  readonly onCompareAgain: () => void;
  /** Labels that can move along. */
  readonly labels: readonly PlacedLabel[];
  readonly isSaving: boolean;
  readonly error: unknown;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

export interface SaveOptions {
  readonly note: string;
  /** Labels to move to the new version. */
  readonly labels: readonly string[];
}

/** The last look at a draft before it becomes a version: a note, and the difference to live. */
export function SaveDialog(props: SaveDialogProps) {
  const { slug } = useWorkbench();
  const {
    isRelease,
    options,
    onChange,
    base,
    latest,
    live,
    liveAtStart,
    draft,
    labels,
    isSaving,
    error,
    onSave,
    onClose,
  } = props;
  const { note, labels: moved } = options;
  const { hint = 'Shown in the history.', error: noteError } = noteLength(note);
  // Nothing goes live that the user could not compare, unless that is impossible.
  const canSave = !isRelease || (live !== undefined && draft !== undefined) || props.comparisonError != null;
  const save = () => canSave && !isSaving && noteError === undefined && onSave();
  return (
    <Dialog
      title={isRelease ? 'Save and make live' : 'Save version'}
      onClose={onClose}
      isWide
      isBusy={isSaving}
    >
      <DialogBody
        onSubmit={save}
        footer={
          <>
            <Button onClick={onClose} disabled={isSaving}>
              Cancel
            </Button>
            <Button type="submit" variant="primary" isBusy={isSaving} disabled={!canSave}>
              {isRelease ? 'Save and make live' : 'Save'}
            </Button>
          </>
        }
      >
        <p>
          {isRelease
            ? `Calls use the new version at once${live ? `, instead of version ${live.version}` : ''}.`
            : `Calls keep using ${live ? `version ${live.version}` : 'the live version'}.`}
        </p>
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
            title={`Version ${live.version} was made live, instead of version ${liveAtStart}, while you were editing`}
          >
            It may have been rolled back for a reason. Ask before you replace it.
          </Notice>
        )}
        <TextField
          label="Note"
          lines={2}
          value={note}
          onChange={(typed) => onChange({ ...options, note: typed })}
          placeholder="What changed, and why"
          hint={hint}
          error={noteError}
          focusOnMount
        />
        {isRelease && live !== undefined && (
          <LabelMoves
            labels={labels}
            to="the new version"
            moved={moved}
            onChange={(next) => onChange({ ...options, labels: next })}
          />
        )}
        {live !== undefined && draft !== undefined ? (
          <VersionDiff from={live} to={draft} titles={[`Version ${live.version} (live)`, 'Draft']} />
        ) : props.comparisonError != null ? (
          <ErrorNotice
            error={props.comparisonError}
            title="Could not compare with the live version"
            retry={props.onCompareAgain}
          />
        ) : (
          <Loading label="Comparing with the live version" />
        )}
        {error != null && (
          <ErrorNotice
            error={error}
            title={`${isStatus(error, 0) ? 'Could not confirm that it was saved' : 'Not saved'}. Your draft is still here.`}
          />
        )}
      </DialogBody>
    </Dialog>
  );
}
