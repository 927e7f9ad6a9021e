import { useMemo, useState } from 'react';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { isStatus } from '../../api/api-error.ts';
import { type PresetSnapshot, useLabels, useVersion, useVersionCount } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
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
import { reasonOf } from './move-labels.ts';
import { offerUndo, type Release, recentReleases, withdrawUndo } from './recent-release.ts';
import { changeField, setField } from './request-text.ts';
import { SaveDialog } from './save-dialog.tsx';
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
  readonly onSaved: (version: number) => Promise<unknown>;
  readonly onDiscard: () => void;
  readonly isDiscarding: boolean;
  /**
   * Puts a draft back that was saved, based on the version it started from. Returns false if the user
   * has typed meanwhile, which is kept.
   */
  readonly onRestore: (
    base: number,
    draft: { readonly text: string; readonly dialect: Dialect },
  ) => Promise<boolean>;
}

interface SentSave {
  /** The state of the preset that the save is conditional on. */
  readonly seen: PresetSnapshot;
  /** To be moved to the new version. */
  readonly labels: readonly string[];
}

/** The state of the draft, and what can be done with it. */
export function SaveBar(props: SaveBarProps) {
  const { name, capture, isChanged, onReveal, draftState, onSaved, onDiscard, isDiscarding, onRestore } =
    props;
  const { slug, base, canEdit, snapshot, dialect, draft: store } = useWorkbench();
  const { text, checked } = useDraft((draft) => draft);
  const { api } = useSession();
  const { canRelease } = usePresetActions();
  const showToast = useToast();
  const release = useStore(recentReleases(api), (releases) => releases.get(name));
  const { move, undo } = useRelease(slug);
  const [isUndoing, setIsUndoing] = useState(false);
  const [dialog, setDialog] = useState<'save' | 'release'>();
  // Undefined until the user types one.
  const [typedNote, setTypedNote] = useState(capture.draft.note);
  const [chosenLabels, setChosenLabels] = useState<readonly string[]>([]);
  // What the last save was based on. The page may load a newer state before the save has ended.
  const [sent, setSent] = useState<SentSave>({ seen: snapshot, labels: [] });
  const live = snapshot.preset.designated_version.version;
  const { data: liveVersion, error: liveError, refetch: loadLiveAgain } = useVersion(slug, live);
  const { data: latest = base } = useVersionCount(slug, snapshot.etag);
  const labels = (useLabels(slug, snapshot.etag).data?.data ?? []).filter(({ version }) => version === live);
  const note = typedNote ?? noteIn(checked);
  const draft = useDraftVersion(capture, dialect);
  const saving = useSaveVersion(showSaved);
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
      title: 'Save version',
      group: 'Workbench',
      keys: 'Mod+S',
      run: () => {
        if (!isChanged) showToast(`No changes since version ${base}`);
        else if (hasProblems) showProblem();
        else setDialog('save');
      },
    },
    canRelease && {
      title: 'Save and make live',
      group: 'Workbench',
      keywords: 'release publish deploy',
      isDisabled: !isChanged || hasProblems,
      run: () => setDialog('release'),
    },
    isChanged && canEdit && { title: 'Discard draft', group: 'Workbench', run: onDiscard },
  ]);

  /** The user has seen the state on the page: the dialog compares with it, and names newer versions. */
  function save(seen = snapshot) {
    if (checked.kind !== 'valid') return;
    const isRelease = dialog === 'release';
    // A colleague may have moved a label since the user chose it.
    const isOffered = (name: string) => labels.some(({ label }) => label === name);
    setSent({ seen, labels: isRelease ? chosenLabels.filter(isOffered) : [] });
    saving.mutate({ slug, dialect, text: requestToSave(text, note, isRelease), etag: seen.etag });
  }

  /** Labels are chosen for one release; the note is kept for the next attempt. */
  function closeDialog() {
    setDialog(undefined);
    setChosenLabels([]);
    saving.reset();
  }

  /**
   * Part of the save: the dialog stays busy until the workbench shows the new version. It must not
   * throw, since the version is saved by then.
   */
  async function showSaved({ version, live: liveNow, etag: savedEtag }: SavedVersion) {
    const { moved, etag, problem } = await move(sent.labels, version, savedEtag);
    const liveBefore = version === liveNow ? sent.seen.preset.designated_version.version : undefined;
    offerUndo(api, name, { version, liveBefore, labels: moved, text, dialect, baseBefore: base, etag });
    if (problem !== undefined) showToast(problem);
    await onSaved(version).catch((error: unknown) =>
      showToast(`Saved version ${version}, but could not load it: ${messageOf(error)}`),
    );
    setDialog(undefined);
    setChosenLabels([]);
    setTypedNote(undefined);
  }

  async function undoRelease(undone: Release) {
    const textBefore = store.get().text;
    setIsUndoing(true);
    try {
      const problem = await undo(undone);
      withdrawUndo(api, name, undone);
      // Keep a newer draft that the user has started since.
      const isNewer = isChanged || store.get().text !== textBefore;
      const isRestored = !isNewer && (await onRestore(undone.baseBefore, undone));
      const message = describeUndo(undone, isRestored);
      showToast(problem === undefined ? message : `${message}. ${problem}`);
    } catch (error) {
      showToast(`Could not undo: ${reasonOf(error)}`);
    } finally {
      setIsUndoing(false);
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
            {/* Without a release, there is nothing to undo but the text, and a newer one is kept. */}
            {(release.liveBefore !== undefined || !isChanged) && (
              <Button isSmall isBusy={isUndoing} onClick={() => void undoRelease(release)}>
                Undo
              </Button>
            )}
          </span>
        )}
        {canEdit && (
          <>
            {isChanged && (
              <Button isBusy={isDiscarding} onClick={onDiscard}>
                Discard draft
              </Button>
            )}
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
          options={{ note, labels: chosenLabels }}
          onChange={(changed) => {
            setTypedNote(changed.note);
            setChosenLabels(changed.labels);
          }}
          base={base}
          latest={latest}
          live={liveVersion}
          draft={draft}
          comparisonError={liveError ?? (capture.isChecking ? null : capture.dryRun.error)}
          onCompareAgain={() => {
            if (liveError) void loadLiveAgain();
            if (capture.dryRun.error) void capture.dryRun.refetch();
          }}
          labels={labels}
          isSaving={saving.isPending}
          error={saving.error}
          onSave={() => save()}
          onClose={closeDialog}
        />
      )}
      {isConflict && (
        <ConflictDialog
          slug={slug}
          before={sent.seen}
          onClose={closeDialog}
          closeLabel="Keep editing"
          onRetry={(now) => save(now)}
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

/** A colleague who has typed within this time counts as editing. */
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

function describeUndo({ version, liveBefore }: Release, isRestored: boolean): string {
  if (liveBefore !== undefined) return `Version ${liveBefore} is live again`;
  return isRestored ? `Version ${version} is your draft again` : 'Your newer draft was kept';
}

/** A pasted request may have one. */
function noteIn(checked: CheckedText): string {
  return (checked.kind === 'valid' ? saveOptionsOf(checked.body).note : undefined) ?? '';
}

/** The dialog overrides both fields of the request. */
function requestToSave(text: string, note: string, isRelease: boolean): string {
  const designated = setField(text, ['presetd', 'designate'], isRelease);
  return changeField(designated, ['presetd', 'note'], note.trim() === '' ? undefined : note.trim());
}

/** The draft as the server would store it; undefined until it has checked it. */
function useDraftVersion(capture: Capture, dialect: Dialect): ComparedVersion | undefined {
  const isOutdated = capture.isChecking || capture.dryRun.isPlaceholderData;
  const data = isOutdated ? undefined : capture.dryRun.data;
  return useMemo(
    () => data && { ...data.data.designated_version, presetd: data.presetd, dialect },
    [data, dialect],
  );
}
