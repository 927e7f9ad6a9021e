/**
 * The dialogs that change a preset.
 *
 * `PresetDialog` renders the one that a component on the page has requested. Each dialog changes
 * the preset as it was when the dialog opened; if someone else has changed it since, the dialog
 * gives way to a `ConflictDialog`.
 */

import { type ReactNode, useState } from 'react';
import { isSlug, slugRule } from '../../../../src/core/preset-slug.ts';
import { isLabel, isReservedLabel, labelRule } from '../../../../src/core/presets/label.ts';
import { nameProblem } from '../../../../src/core/text/name.ts';
import { ApiError, isStatus } from '../../api/api-error.ts';
import { type PresetSnapshot, useChangePreset, useLabels } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { useToast } from '../../components/toasts.tsx';
import { VersionComparison } from '../../features/comparison/version-diff.tsx';
import {
  BrokenCallsBetween,
  submitButton,
  useBreaksCalls,
} from '../../features/preset-changes/broken-calls.tsx';
import { ConflictDialog } from '../../features/preset-changes/conflict-dialog.tsx';
import { LabelMoves } from '../../features/preset-changes/label-moves.tsx';
import { LastCall } from '../../features/preset-changes/last-call.tsx';
import {
  archive,
  changedTexts,
  disable,
  edit,
  moveLabel,
  type PresetAction,
  patchPreset,
  removeLabel,
} from '../../features/preset-changes/preset-action.ts';
import type { OpenDialog } from '../../features/preset-changes/use-preset-actions.ts';
import { useRelease } from '../../features/preset-changes/use-release.ts';
import { CallersLine } from '../../features/version-usage/callers-line.tsx';
import { VersionTable } from '../../features/version-usage/version-facts.tsx';
import { AddAliasDialog, RemoveAliasDialog } from './alias-dialogs.tsx';
import { BrokenNames } from './impact.tsx';
import styles from './preset.module.css';
import { usePresetChange } from './use-preset-change.tsx';

interface ActionProps {
  /** The preset when the dialog was opened. */
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

interface VersionProps extends ActionProps {
  readonly version: number;
}

export function PresetDialog({ request, ...shared }: OpenDialog & ActionProps) {
  switch (request.kind) {
    case 'edit':
      return <EditDialog {...shared} />;
    case 'disable':
      return (
        <StopCallsDialog title="Disable preset" submitLabel="Disable" action={disable} {...shared}>
          Calls to <strong>{shared.snapshot.preset.name}</strong> fail until you enable it again. You can
          still view and edit it.
        </StopCallsDialog>
      );
    case 'archive':
      return (
        <StopCallsDialog title="Archive preset" submitLabel="Archive" action={archive} {...shared}>
          <strong>{shared.snapshot.preset.name}</strong> disappears from the list, and calls to it fail. Its
          slug and history are kept, and you can restore it.
        </StopCallsDialog>
      );
    case 'add-alias':
      return <AddAliasDialog {...shared} />;
    case 'remove-alias':
      return <RemoveAliasDialog alias={request.alias} {...shared} />;
    case 'make-live':
      return <MakeLiveDialog version={request.version} {...shared} />;
    case 'add-label':
      return <AddLabelDialog version={request.version} {...shared} />;
    case 'move-label':
      return <MoveLabelDialog label={request.label} version={request.version} {...shared} />;
  }
}

/**
 * Edits name, slug and description. After a conflict it keeps what the user typed and takes the
 * rest from the latest state.
 */
function EditDialog({ snapshot, onClose }: ActionProps) {
  const [base, setBase] = useState(snapshot);
  // Undefined until the user types, so that untouched fields follow `base`.
  const [name = base.preset.name, setName] = useState<string>();
  const [slug = base.preset.slug, setSlug] = useState<string>();
  const [description = base.preset.description ?? '', setDescription] = useState<string>();
  const { may } = useSession();
  const { run, reset, error, ...change } = usePresetChange(onClose, setBase);
  const { changed, before } = changedTexts(base.preset, { name, slug, description });
  // Only a new slug can be refused with 409.
  const taken = isStatus(error, 409) ? error.message : undefined;
  const nameError = nameErrorOf(name);
  const slugError = isSlug(slug) ? taken : `The slug ${slugRule}.`;
  // The server's issues are JSON Pointers into the request, which has the fields of this form.
  const issues = error instanceof ApiError ? error.issues : [];
  const issueOf = (path: string) => issues.find((issue) => issue.path === path)?.message;
  return (
    <FormDialog
      title="Edit preset"
      submitLabel="Save"
      canSubmit={nameError === undefined && slugError === undefined && Object.keys(changed).length > 0}
      onSubmit={() => run(edit(changed, before), base)}
      onClose={onClose}
      change={{ ...change, error: taken === undefined ? error : null }}
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
        label="Slug"
        value={slug}
        // Pasted names often come with a space.
        onChange={(typed) => {
          setSlug(typed.trim());
          reset();
        }}
        error={slugError}
        isReadOnly={!may('release')}
        hint={
          !may('release') ? (
            'Only admins of the workspace can change it: calls use it.'
          ) : changed.slug === undefined ? (
            'Calls use it. If you change it, the old slug keeps working as an alias.'
          ) : (
            <>
              Call it as <code>@preset/{slug}</code>. <code>@preset/{base.preset.slug}</code> keeps working:
              the old slug becomes an alias.
            </>
          )
        }
        autoComplete="off"
        isMono
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

interface StopCallsDialogProps extends ActionProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly action: PresetAction;
  /** The consequences, as a sentence. */
  readonly children: ReactNode;
}

/** Confirms a change after which calls to the preset fail. */
function StopCallsDialog({ snapshot, action, children, ...dialog }: StopCallsDialogProps) {
  const { run, ...change } = usePresetChange(dialog.onClose);
  return (
    <ConfirmDialog {...dialog} onSubmit={() => run(action, snapshot)} change={change}>
      <p>{children}</p>
      <LastCall slug={snapshot.preset.slug} />
      <BrokenNames snapshot={snapshot} />
    </ConfirmDialog>
  );
}

/**
 * Shows what would change for callers before it makes a version live. After a conflict it asks
 * again, with the new live version.
 */
function MakeLiveDialog({ snapshot, version, onClose }: VersionProps) {
  // The state that the user is deciding on. If it changes meanwhile, the server returns 412.
  const [before, setBefore] = useState(snapshot);
  const { slug } = before.preset;
  const { mutateAsync, isPending, error, reset } = useChangePreset(slug);
  const { move, offerUndo } = useRelease(before);
  const [isMoving, setIsMoving] = useState(false);
  const [moved, setMoved] = useState<readonly string[]>([]);
  const showToast = useToast();
  const live = before.preset.designated_version.version;
  const labels = (useLabels(slug, before.etag).data?.data ?? []).filter((label) => label.version === live);
  const isRisky = useBreaksCalls(slug, live, version);

  const makeLive = async () => {
    const change = patchPreset({ designated_version: version });
    const { headers } = await mutateAsync({ change, etag: before.etag });
    setIsMoving(true);
    const chosen = labels
      .filter(({ label }) => moved.includes(label))
      .map(({ label }) => ({ label, from: live, to: version }));
    const { moved: labelsMoved, problem } = await move(chosen, headers.get('etag') ?? '');
    // The history and the workbench, where this dialog opens, report it and offer to undo it.
    offerUndo({ version, liveBefore: live, labels: labelsMoved, draft: undefined });
    onClose();
    if (problem !== undefined) showToast(problem);
  };
  const retry = (now: PresetSnapshot) => {
    setBefore(now);
    reset();
  };
  const conflict = isStatus(error, 412) && (
    <ConflictDialog slug={slug} before={before} onClose={onClose} onRetry={retry} />
  );
  return (
    <FormDialog
      title={`Make version ${version} live?`}
      {...submitButton(`Make version ${version} live`, isRisky)}
      // A failure is rendered from `error`.
      onSubmit={() => void makeLive().catch(() => undefined)}
      onClose={onClose}
      canSubmit={version !== live}
      change={{ isPending: isPending || isMoving, error, conflict }}
      isWide
    >
      {version === live ? (
        <p>Version {version} is already live.</p>
      ) : (
        <>
          <p>
            Calls to <code>@preset/{slug}</code> will use version {version} instead of version {live}. Calls
            that name a version{labels.length > 0 ? ', or a label that you do not move,' : ' or label'} are
            not affected. You can make version {live} live again at any time.
          </p>
          <CallersLine preset={before.preset} isLive labels={moved} />
          <VersionTable
            isInDialog
            preset={before.preset}
            versions={[
              { version: live, title: `Version ${live} (live)` },
              { version, title: `Version ${version}` },
            ]}
          />
          <BrokenCallsBetween slug={slug} from={live} to={version} />
          <LabelMoves labels={labels} to={`version ${version}`} moved={moved} onChange={setMoved} />
          <VersionComparison slug={slug} from={live} to={version} />
        </>
      )}
    </FormDialog>
  );
}

/** Adds a label to a version, or moves it there if another version has it. */
function AddLabelDialog({ version, snapshot, onClose }: VersionProps) {
  const { data: labels } = useLabels(snapshot.preset.slug, snapshot.etag);
  const { run, ...change } = usePresetChange(onClose);
  const [label, setLabel] = useState('');
  // The version that has the label now; undefined if it is new.
  const from = labels?.data.find((existing) => existing.label === label)?.version;
  const problem = label === '' ? undefined : labelProblem(label, from, version);
  const isRisky = useBreaksCalls(snapshot.preset.slug, from, version);
  return (
    <FormDialog
      title={`Add label to version ${version}`}
      {...submitButton(from === undefined ? 'Add label' : 'Move label here', isRisky)}
      canSubmit={label !== '' && problem === undefined}
      onSubmit={() => run(moveLabel(label, from, version), snapshot)}
      onClose={onClose}
      change={change}
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
      {from !== undefined && from !== version && (
        <>
          <CallersLine preset={snapshot.preset} isLive={false} labels={[label]} />
          <BrokenCallsBetween slug={snapshot.preset.slug} from={from} to={version} />
        </>
      )}
    </FormDialog>
  );
}

/** The problem with the label, as a sentence; undefined if it can be set. */
function labelProblem(label: string, from: number | undefined, version: number): string | undefined {
  if (!isLabel(label)) return `The label ${labelRule}.`;
  if (isReservedLabel(label))
    return `“${label}” always means the ${label === 'latest' ? 'latest' : 'live'} version. Choose another label.`;
  return from === version ? `Version ${version} already has this label.` : undefined;
}

/** Moves a label away from `version`, or removes it. */
function MoveLabelDialog({ label, version, snapshot, onClose }: VersionProps & { readonly label: string }) {
  const { slug } = snapshot.preset;
  const { run, ...change } = usePresetChange(onClose);
  const [text, setText] = useState('');
  const target = /^[1-9]\d{0,9}$/.test(text.trim()) ? Number(text) : undefined;
  const problem = text.trim() === '' ? undefined : targetProblem(target, version, snapshot.latest);
  const isRisky = useBreaksCalls(slug, version, problem === undefined ? target : undefined);
  return (
    <FormDialog
      title={`Label ${label}`}
      {...submitButton('Move', isRisky)}
      canSubmit={target !== undefined && problem === undefined}
      onSubmit={() => target !== undefined && run(moveLabel(label, version, target), snapshot)}
      onClose={onClose}
      change={change}
    >
      <p>
        Currently on version {version}. Calls to{' '}
        <code>
          @preset/{slug}:{label}
        </code>{' '}
        get the version it is on, and fail if you remove it.
      </p>
      <CallersLine preset={snapshot.preset} isLive={false} labels={[label]} />
      <TextField
        label="Move to version"
        value={text}
        onChange={setText}
        type="number"
        error={problem}
        hint={hintOf(snapshot.latest, snapshot.preset.designated_version.version)}
        focusOnMount
      />
      {target !== undefined && problem === undefined && (
        <BrokenCallsBetween slug={slug} from={version} to={target} />
      )}
      <div className={styles.remove}>
        <Button
          isSmall
          variant="danger"
          isBusy={change.isPending}
          onClick={() => run(removeLabel(label, version), snapshot)}
        >
          Remove label
        </Button>
      </div>
    </FormDialog>
  );
}

/** The problem with the target version; undefined if the label can move there. */
function targetProblem(target: number | undefined, version: number, latest: number) {
  if (target === undefined) return 'Enter a version number.';
  if (target > latest)
    return latest === 1 ? 'There is only version 1.' : `Enter a version from 1 to ${latest}.`;
  return target === version ? `The label is already on version ${version}.` : undefined;
}

function hintOf(latest: number, live: number): string {
  return latest === 1 ? 'There is only version 1.' : `1 to ${latest}. Version ${live} is live.`;
}
