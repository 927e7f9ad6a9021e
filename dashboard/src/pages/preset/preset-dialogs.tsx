import { type ReactNode, useState } from 'react';
import { nameProblem } from '../../../../src/core/name.ts';
import { isLabel, isReservedLabel, labelRule } from '../../../../src/core/presets/label.ts';
import { ApiError, isStatus } from '../../api/api-error.ts';
import { type PresetSnapshot, useChangePreset, useLabels, useVersionCount } from '../../api/presets.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { messageOf } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import { VersionComparison } from './compare/version-diff.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import styles from './dialogs.module.css';
import {
  archive,
  changedTexts,
  disable,
  edit,
  moveLabel,
  type PresetAction,
  removeLabel,
  withoutUndo,
} from './preset-action.ts';
import { type OpenDialog, useGuardedChange, usePresetActions } from './preset-actions.tsx';

interface ActionDialogProps extends OpenDialog {
  readonly onClose: () => void;
}

/** Renders the dialog that a component on the preset page has requested. */
export function ActionDialog({ request, snapshot, onClose }: ActionDialogProps) {
  const shared = { snapshot, onClose };
  switch (request.kind) {
    case 'edit':
      return <EditDialog {...shared} />;
    case 'disable':
      return <DisableDialog {...shared} />;
    case 'archive':
      return <ArchiveDialog {...shared} />;
    case 'make-live':
      return <MakeLiveDialog slug={snapshot.preset.slug} version={request.version} {...shared} />;
    case 'add-label':
      return <AddLabelDialog version={request.version} {...shared} />;
    case 'move-label':
      return <MoveLabelDialog label={request.label} version={request.version} {...shared} />;
  }
}

interface EditDialogProps {
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

/**
 * Edits name and description. After a conflict it keeps what the user typed and takes the rest from
 * the latest state.
 */
export function EditDialog({ snapshot, onClose }: EditDialogProps) {
  const [base, setBase] = useState(snapshot);
  // Undefined until the user types, so that untouched fields follow `base`.
  const [name = base.preset.name, setName] = useState<string>();
  const [description = base.preset.description ?? '', setDescription] = useState<string>();
  const { run, isBusy, error, conflict } = useDialogAction(onClose, setBase);
  const { changed, before } = changedTexts(base.preset, { name, description });
  const nameError = nameErrorOf(name);
  if (conflict) return conflict;

  // The server's issues are JSON Pointers into the request, which has the fields of this form.
  const issues = error instanceof ApiError ? error.issues : [];
  const issueOf = (path: string) => issues.find((issue) => issue.path === path)?.message;
  return (
    <FormDialog
      title="Edit preset"
      submitLabel="Save"
      canSubmit={nameError === undefined && Object.keys(changed).length > 0}
      onSubmit={() => run(edit(changed, before), base)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={nameError ?? issueOf('/name')}
        hint="Up to 200 characters."
        focusOnMount
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        error={issueOf('/description')}
        hint="Optional, up to 2,000 characters."
        lines={5}
      />
    </FormDialog>
  );
}

/** Checks what the server would reject anyway, but while the user types. */
function nameErrorOf(name: string): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) return `The name ${problem}.`;
  return [...name].length > 200 ? 'The name must have at most 200 characters.' : undefined;
}

interface DisableDialogProps {
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

export function DisableDialog({ snapshot, onClose }: DisableDialogProps) {
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  if (conflict) return conflict;
  return (
    <FormDialog
      title="Disable preset"
      submitLabel="Disable"
      submitVariant="danger"
      onSubmit={() => run(disable, snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        Calls to <strong>{snapshot.preset.name}</strong> fail until you enable it again. You can still view
        and edit it.
      </p>
    </FormDialog>
  );
}

interface ArchiveDialogProps {
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

export function ArchiveDialog({ snapshot, onClose }: ArchiveDialogProps) {
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  if (conflict) return conflict;
  return (
    <FormDialog
      title="Archive preset"
      submitLabel="Archive"
      submitVariant="danger"
      onSubmit={() => run(archive, snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        <strong>{snapshot.preset.name}</strong> disappears from the list, and calls to it fail. Its slug and
        history are kept, and you can restore it.
      </p>
    </FormDialog>
  );
}

interface MakeLiveDialogProps {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  readonly version: number;
  readonly onClose: () => void;
}

/** Shows what would change for callers before it makes a version live. */
export function MakeLiveDialog({ slug, snapshot, version, onClose }: MakeLiveDialogProps) {
  // The state that the user is deciding on. If it changes meanwhile, the server returns 412.
  const [before, setBefore] = useState(snapshot);
  const { mutateAsync, isPending, error, reset } = useChangePreset(slug);
  const showToast = useToast();
  const live = before.preset.designated_version.version;

  const designate = async (designated: number, etag: string | undefined) => {
    const { headers } = await mutateAsync({
      method: 'PATCH',
      body: { designated_version: designated },
      etag,
    });
    return headers.get('etag') ?? undefined;
  };
  // Only if nobody has changed the preset since: the ETag is that of our own change.
  const undo = async (etag: string | undefined) => {
    try {
      await designate(live, etag);
      showToast(`Version ${live} is live again`);
    } catch (failure) {
      showToast(
        isStatus(failure, 412)
          ? 'Could not undo: the preset has changed since'
          : `Could not undo: ${messageOf(failure)}`,
      );
    }
  };
  const submit = async () => {
    try {
      const etag = await designate(version, before.etag);
      onClose();
      showToast(`Version ${version} is live`, () => void undo(etag));
    } catch {
      // The dialog shows the error.
    }
  };

  if (isStatus(error, 412))
    return (
      <ConflictDialog
        slug={slug}
        before={before}
        onClose={onClose}
        onRetry={(now) => {
          setBefore(now);
          reset();
        }}
      />
    );
  return (
    <FormDialog
      title={`Make version ${version} live?`}
      submitLabel={`Make version ${version} live`}
      onSubmit={() => void submit()}
      onClose={onClose}
      isBusy={isPending}
      canSubmit={version !== live}
      error={error}
      isWide
    >
      {version === live ? (
        <p>Version {version} is already live.</p>
      ) : (
        <>
          <p>
            Calls to <code>@preset/{slug}</code> will use version {version} instead of version {live}. Calls
            that name a version or label are not affected. You can make version {live} live again at any time.
          </p>
          <VersionComparison slug={slug} from={live} to={version} />
        </>
      )}
    </FormDialog>
  );
}

interface AddLabelDialogProps {
  /** The version to put the label on. */
  readonly version: number;
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

/** Adds a label to a version, or moves it there if another version has it. */
export function AddLabelDialog({ version, snapshot, onClose }: AddLabelDialogProps) {
  const { data: labels } = useLabels(snapshot.preset.slug, snapshot.etag);
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  const [label, setLabel] = useState('');
  if (conflict) return conflict;

  // The version that has the label now; undefined if it is new.
  const from = labels?.data.find((existing) => existing.label === label)?.version;
  const problem = label === '' ? undefined : labelProblem(label, from, version);
  return (
    <FormDialog
      title={`Add label to version ${version}`}
      submitLabel={from === undefined ? 'Add label' : 'Move label here'}
      canSubmit={label !== '' && problem === undefined}
      onSubmit={() => run(moveLabel(label, from, version), snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <TextField
        label="Label"
        value={label}
        onChange={setLabel}
        error={problem}
        hint={
          from === undefined
            ? 'For example staging. Calls can use it in place of a version number.'
            : `Moves from version ${from} to version ${version}.`
        }
        autoComplete="off"
        isMono
        focusOnMount
      />
    </FormDialog>
  );
}

/** What is wrong with the label, as a sentence; undefined if it can be set. */
function labelProblem(label: string, from: number | undefined, version: number): string | undefined {
  if (!isLabel(label)) return `The label ${labelRule}.`;
  if (isReservedLabel(label))
    return `“${label}” always means the ${label === 'latest' ? 'latest' : 'live'} version. Choose another label.`;
  return from === version ? `Version ${version} already has this label.` : undefined;
}

interface MoveLabelDialogProps {
  readonly label: string;
  /** The version that has the label now. */
  readonly version: number;
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

export function MoveLabelDialog({ label, version, snapshot, onClose }: MoveLabelDialogProps) {
  const { data: count } = useVersionCount(snapshot.preset.slug, snapshot.etag);
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  const [text, setText] = useState('');
  if (conflict) return conflict;

  const target = /^[1-9]\d{0,9}$/.test(text.trim()) ? Number(text) : undefined;
  const problem = text.trim() === '' ? undefined : targetProblem(target, version, count);
  return (
    <FormDialog
      title={`Label ${label}`}
      submitLabel="Move"
      canSubmit={target !== undefined && problem === undefined}
      onSubmit={() => target !== undefined && run(moveLabel(label, version, target), snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        Currently on version {version}. Calls that use <span className="mono">{label}</span> get the version
        it is on.
      </p>
      <TextField
        label="Move to version"
        value={text}
        onChange={setText}
        type="number"
        error={problem}
        hint={count === undefined ? undefined : hintOf(count, snapshot.preset.designated_version.version)}
        focusOnMount
      />
      <div className={styles.remove}>
        <Button
          isSmall
          variant="danger"
          isBusy={isBusy}
          onClick={() => run(removeLabel(label, version), snapshot)}
        >
          Remove label
        </Button>
      </div>
    </FormDialog>
  );
}

/** What is wrong with the target version; undefined if the label can move there. */
function targetProblem(target: number | undefined, version: number, count = Number.POSITIVE_INFINITY) {
  if (target === undefined) return 'Enter a version number.';
  if (target > count) return count === 1 ? 'There is only version 1.' : `Enter a version from 1 to ${count}.`;
  return target === version ? `The label is already on version ${version}.` : undefined;
}

function hintOf(count: number, live: number): string {
  return count === 1 ? 'There is only version 1.' : `1 to ${count}. Version ${live} is live.`;
}

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
