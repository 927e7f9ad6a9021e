import { useMemo, useState } from 'react';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { isStatus } from '../../api/api-error.ts';
import { useLabels, useVersion, useVersionCount } from '../../api/presets.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useCommands } from '../../components/commands.ts';
import { messageOf, Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/text.ts';
import { useToast } from '../../components/toasts.tsx';
import type { CheckedText } from '../capture/check-request.ts';
import { saveOptionsOf } from '../capture/save-options.ts';
import type { Capture } from '../capture/use-capture.ts';
import { type SavedVersion, useSaveVersion } from '../capture/use-submit-capture.ts';
import { describeChanges } from '../preset/compare/describe-changes.ts';
import type { ComparedVersion } from '../preset/compare/version-diff.tsx';
import { ConflictDialog } from '../preset/conflict-dialog.tsx';
import { usePresetActions } from '../preset/preset-actions.tsx';
import { offerUndo, type Release, useRecentRelease } from './recent-release.ts';
import { changeField, setField } from './request-text.ts';
import { SaveDialog, type SaveOptions } from './save-dialog.tsx';
import { type DraftState, useOtherDrafts } from './server-draft.ts';
import { useStore } from './store.ts';
import { useRelease } from './use-release.ts';
import styles from './workbench.module.css';
import { useDraft, useWorkbench } from './workbench.ts';

interface SaveBarProps {
  /** Of the stored draft. */
  readonly name: string;
  readonly capture: Capture;
  /** Whether the draft differs from the version it started from. */
  readonly isChanged: boolean;
  /** Shows a place in the request. */
  readonly onReveal: (offset: number) => void;
  readonly draftState: DraftState;
  /** Goes on from the version that was saved. */
  readonly onSaved: (version: number) => Promise<void>;
  readonly onDiscard: () => void;
  /** Puts a draft back that was saved, based on the version it started from. */
  readonly onRestore: (
    base: number,
    draft: { readonly text: string; readonly dialect: Dialect },
  ) => Promise<void>;
}

/** The state of the draft, and what can be done with it. */
export function SaveBar(props: SaveBarProps) {
  const { name, capture, isChanged, onReveal, draftState, onSaved, onDiscard, onRestore } = props;
  const { slug, base, canEdit, snapshot, dialect } = useWorkbench();
  const { text, checked } = useDraft((draft) => draft);
  const { canRelease } = usePresetActions();
  const showToast = useToast();
  const release = useRecentRelease(name);
  const { finish, undo } = useRelease(slug);
  const [dialog, setDialog] = useState<'save' | 'release'>();
  const [options, setOptions] = useState<SaveOptions>({ note: capture.draft.note ?? '', labels: [] });
  const live = snapshot.preset.designated_version.version;
  const { data: liveVersion } = useVersion(slug, live);
  const { data: latest = base } = useVersionCount(slug, snapshot.etag);
  const labels = useLabels(slug, snapshot.etag).data?.data ?? [];
  const draft = useDraftVersion(capture, dialect);
  const saving = useSaveVersion(goOn);
  // The text may be newer than the last report.
  const [problem] = checked.kind === 'invalid' ? [checked.problem] : capture.report.problems;
  const [incompleteField] = useStore(useWorkbench().incomplete, (fields) => fields).values();
  const hasProblems = checked.kind !== 'valid' || problem !== undefined || incompleteField !== undefined;
  const changes = useMemo(
    () => (liveVersion && draft ? describeChanges(liveVersion, draft) : []),
    [liveVersion, draft],
  );
  const showProblem = () => {
    if (problem === undefined && incompleteField !== undefined)
      return showToast(`Cannot save: ${incompleteField} is not valid JSON`);
    showToast(`Cannot save: ${problem?.message.replace(/\.$/, '') ?? 'the request is empty'}`);
    onReveal(problem?.from ?? 0);
  };
  useCommands([
    canEdit && {
      title: 'Save draft',
      group: 'Workbench',
      keys: 'Mod+S',
      run: () => {
        if (!isChanged) showToast(`Nothing to save: the text is that of version ${base}`);
        else if (hasProblems) showProblem();
        else setDialog('save');
      },
    },
    canRelease && {
      title: 'Save draft and make it live',
      group: 'Workbench',
      keywords: 'release publish deploy',
      isDisabled: !isChanged || hasProblems,
      run: () => setDialog('release'),
    },
    isChanged && canEdit && { title: 'Discard draft', group: 'Workbench', run: onDiscard },
  ]);

  /** The user has seen the state on the page: the dialog compares with it, and names newer versions. */
  function save(chosen: SaveOptions, etag = snapshot.etag) {
    if (checked.kind !== 'valid') return;
    setOptions(chosen);
    saving.mutate({ slug, dialect, text: requestToSave(text, chosen.note, dialog === 'release'), etag });
  }

  /** Part of the save: the dialog stays busy until the workbench shows the new version. */
  async function goOn({ version, live: liveNow }: SavedVersion) {
    const isLive = version === liveNow;
    const { snapshot: after, problem } = await finish(version, options.labels);
    await onSaved(version);
    setDialog(undefined);
    setOptions({ note: '', labels: [] });
    if (problem !== undefined) showToast(problem);
    const liveBefore = isLive ? live : undefined;
    const moved = problem === undefined ? options.labels : [];
    offerUndo(name, {
      ...{ version, liveBefore, labels: moved, text, dialect, baseBefore: base, etag: after.etag },
    });
  }

  async function undoRelease(undone: Release) {
    try {
      await undo(undone);
      offerUndo(name, undefined);
      // Keep a newer draft that the user has started since.
      if (!isChanged) await onRestore(undone.baseBefore, undone);
      showToast(
        undone.liveBefore === undefined
          ? `Version ${undone.version} is your draft again`
          : `Version ${undone.liveBefore} is live again`,
      );
    } catch (error) {
      const reason = isStatus(error, 412) ? 'someone else changed the preset' : messageOf(error);
      showToast(`Could not undo: ${reason}`);
    }
  }

  const isConflict = isStatus(saving.error, 412);
  return (
    <>
      <div className={styles.bar}>
        <div className={styles.barStatus}>
          {isChanged ? (
            <>
              <Badge tone="accent">Draft</Badge> from version {base}
              {changes.length > 0 && <span className="muted">: {changes.join(', ')}</span>}
              <span className="note" role={draftState.kind === 'saving' ? undefined : 'status'}>
                {' '}
                · {draftState.kind === 'failed' ? draftState.message : stateTexts[draftState.kind]}
              </span>
            </>
          ) : (
            <span className="muted">
              Version {base}
              {base === live ? ', live' : `. Version ${live} is live`}
            </span>
          )}
        </div>
        <OtherDrafts slug={slug} />
        {release && (
          <span>
            {release.liveBefore === undefined
              ? `Version ${release.version} saved, not live`
              : `Version ${release.version} is live`}{' '}
            <Button isSmall onClick={() => void undoRelease(release)}>
              Undo
            </Button>
          </span>
        )}
        {canEdit && (
          <>
            {isChanged && <Button onClick={onDiscard}>Discard draft</Button>}
            <Button disabled={!isChanged || hasProblems} onClick={() => setDialog('save')}>
              Save…
            </Button>
            {canRelease && (
              <Button
                variant="primary"
                disabled={!isChanged || hasProblems}
                onClick={() => setDialog('release')}
              >
                Save and make live…
              </Button>
            )}
          </>
        )}
      </div>
      {incompleteField !== undefined && (
        <Notice kind="warning" title={`Fix ${incompleteField} to save`}>
          It is not valid JSON, so the draft still has the value before it.
        </Notice>
      )}
      {capture.report.problems.length > 0 && (
        <Notice
          kind="warning"
          title="Fix these problems to save"
          actions={
            <Button isSmall onClick={showProblem}>
              Show in request
            </Button>
          }
        >
          {capture.report.problems
            .slice(0, 3)
            .map(({ message }) => message)
            .join(' ')}
        </Notice>
      )}
      {dialog !== undefined && !isConflict && (
        <SaveDialog
          isRelease={dialog === 'release'}
          start={{ ...options, note: options.note || noteIn(checked) }}
          base={base}
          latest={latest}
          live={liveVersion}
          draft={draft}
          labels={labels.filter(({ version }) => version === live)}
          isSaving={saving.isPending}
          error={saving.error}
          onSave={(chosen) => save(chosen)}
          onClose={() => {
            setDialog(undefined);
            saving.reset();
          }}
        />
      )}
      {isConflict && (
        <ConflictDialog
          slug={slug}
          before={snapshot}
          onClose={() => {
            saving.reset();
            setDialog(undefined);
          }}
          closeLabel="Keep editing"
          onRetry={(now) => save(options, now.etag)}
        />
      )}
    </>
  );
}

const stateTexts: Readonly<Record<Exclude<DraftState['kind'], 'failed'>, string>> = {
  saved: 'Draft saved',
  saving: 'Saving draft…',
  offline: 'Offline. Draft kept in this tab',
  conflict: 'Not saved',
};

/** Somebody who typed this recently is at it now. */
const recentMs = 5 * 60_000;

/** Announces colleagues with a draft of the same preset, before the two conflict. */
function OtherDrafts({ slug }: { readonly slug: string }) {
  const [first, ...others] = useOtherDrafts(slug);
  if (first === undefined) return null;
  const name = first.name ?? first.email;
  const isRecent = Date.now() - Date.parse(first.updated_at) < recentMs;
  return (
    <Badge tone={isRecent ? 'warning' : 'neutral'}>
      {isRecent ? `${name} is editing too` : `${name} has a draft`}
      {others.length > 0 && `, and ${formatCount(others.length, 'other', 'others')}`}
    </Badge>
  );
}

/** A pasted request may have one. */
function noteIn(checked: CheckedText): string {
  return (checked.kind === 'valid' ? saveOptionsOf(checked.body).note : undefined) ?? '';
}

/** The dialog decides about both, whatever the request says. */
function requestToSave(text: string, note: string, isRelease: boolean): string {
  const designated = setField(text, ['presetd', 'designate'], isRelease);
  return changeField(designated, ['presetd', 'note'], note.trim() === '' ? undefined : note.trim());
}

/** The draft as the server would store it; undefined until it has checked it. */
function useDraftVersion(capture: Capture, dialect: Dialect): ComparedVersion | undefined {
  const data = capture.isChecking ? undefined : capture.dryRun.data;
  return useMemo(
    () => data && { ...data.data.designated_version, presetd: data.presetd, dialect },
    [data, dialect],
  );
}
