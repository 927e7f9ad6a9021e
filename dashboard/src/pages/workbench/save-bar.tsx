import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { isStatus } from '../../api/api-error.ts';
import { useLabels, useRefetchOnRelease, useVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { useCommands } from '../../components/commands.ts';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { editPath } from '../../components/preset-links.ts';
import { useStore } from '../../components/store.ts';
import { formatCount } from '../../components/text.ts';
import { useToast } from '../../components/toasts.tsx';
import type { Capture } from '../../features/capture/use-capture.ts';
import { describeChanges } from '../../features/comparison/describe-changes.ts';
import { type ComparedVersion, VersionDiff } from '../../features/comparison/version-diff.tsx';
import type { DraftState } from '../../features/drafts/draft-sender.ts';
import { useOtherDrafts } from '../../features/drafts/server-draft.ts';
import { ConflictDialog } from '../../features/preset-changes/conflict-dialog.tsx';
import { type BasedDraft, discardedDrafts, type Release } from '../../features/preset-changes/undo-offers.ts';
import { usePausedRedirect, usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';
import { describeProblem } from './problem-text.ts';
import { SaveDialog } from './save-dialog.tsx';
import { type SaveTargets, useSave, useUndoSave } from './use-save.ts';
import styles from './workbench.module.css';
import { useDraft, useIncompleteField, useWorkbench } from './workbench.ts';

interface SaveBarProps extends SaveTargets {
  /** Shows a place in the request. */
  readonly onReveal: (offset: number) => void;
  readonly draftState: DraftState;
  readonly onDiscard: () => void;
  readonly isDiscarding: boolean;
  /** Puts a draft back that was discarded. */
  readonly onReturn: (discarded: BasedDraft) => void;
}

/** The state of the draft, and what can be done with it. */
export function SaveBar(props: SaveBarProps) {
  const { capture, isChanged, onReveal, draftState, onDiscard, isDiscarding } = props;
  const { slug, base, canEdit, snapshot, dialect, incomplete } = useWorkbench();
  const checked = useDraft((draft) => draft.checked);
  const session = useSession();
  const { canRelease, openDialog } = usePresetActions();
  const showToast = useToast();
  const { dialog, setDialog, note, chosenLabels, setChosenLabels, saving, sent, save, closeDialog } =
    useSave(props);
  const { release, undoRelease, isUndoing } = useUndoSave(props);
  // As the user has opened it: the preset may be read again meanwhile.
  const [shownDiff, setShownDiff] = useState<ShownDiff>();
  const discarded = useStore(discardedDrafts.of(session), (all) => all.get(snapshot.preset.id)?.[0]);
  const live = snapshot.preset.designated_version.version;
  const liveAtStart = useLiveAtStart(live, isChanged);
  const { data: liveVersion, error: liveError, refetch: loadLiveAgain } = useVersion(slug, live);
  const { data: { data: labels } = { data: [] } } = useLabels(slug, snapshot.etag);
  // Those of the live version, and those of the version that was live when the user chose them.
  const offeredLabels = labels.filter(
    ({ label, version }) =>
      version === live || chosenLabels.some((chosen) => chosen.label === label && chosen.version === version),
  );
  const draft = useDraftVersion(capture, dialect);
  // The text may be newer than the last report.
  const [problem] = checked.kind === 'invalid' ? [checked.problem] : capture.report.problems;
  const incompleteField = useIncompleteField();
  const hasProblems = checked.kind !== 'valid' || problem !== undefined || incompleteField !== undefined;
  const changes = useMemo(
    () => (liveVersion && draft ? describeChanges(liveVersion, draft) : []),
    [liveVersion, draft],
  );
  const problemText =
    problem && describeProblem(problem, checked.kind === 'valid' ? checked.body : undefined);
  const showProblem = () => {
    if (problem === undefined && incompleteField !== undefined)
      return showToast(`Cannot save: ${incompleteField.label} is incomplete`);
    showToast(`Cannot save: ${problemText?.replace(/\.$/, '') ?? 'the request is empty'}`);
    onReveal(problem?.from ?? 0);
  };
  const discardIncomplete = () =>
    incomplete.set(new Map([...incomplete.get()].filter(([, field]) => field !== incompleteField)));
  // The draft is about to be replaced, which must not happen behind a dialog that shows it.
  const isBusy = isDiscarding || isUndoing;
  const canSave = isChanged && !hasProblems && !isBusy;
  const canMakeLive = canRelease && !isChanged && base !== live;
  // Without a release, there is nothing to undo but the text, and a newer one is kept.
  const canUndo = release !== undefined && (release.liveBefore !== undefined || !isChanged);
  const showDiff = () => liveVersion && draft && setShownDiff({ live: liveVersion, draft });
  const makeLive = () => openDialog({ kind: 'make-live', version: base });
  useCommands([
    canEdit && {
      title: 'Save version',
      group: 'Workbench',
      keys: 'Mod+S',
      isDisabled: isBusy,
      run: () => {
        if (!isChanged && incompleteField === undefined) showToast(`No changes since version ${base}`);
        else if (hasProblems) showProblem();
        else setDialog('save');
      },
    },
    canRelease && {
      title: 'Save and make live',
      group: 'Workbench',
      keywords: 'release publish deploy',
      isDisabled: !canSave,
      run: () => setDialog('release'),
    },
    canMakeLive && {
      title: `Make version ${base} live`,
      group: 'Workbench',
      keywords: 'release publish deploy',
      isDisabled: isBusy,
      run: makeLive,
    },
    changes.length > 0 && {
      title: `Compare the draft with version ${live}`,
      group: 'Workbench',
      keywords: 'diff changes',
      run: showDiff,
    },
    canUndo &&
      release && {
        title:
          release.liveBefore === undefined
            ? `Undo saving version ${release.version}`
            : `Undo making version ${release.version} live`,
        group: 'Workbench',
        isDisabled: isBusy,
        run: () => undoRelease(release),
      },
    discarded &&
      canEdit && {
        title: 'Restore earlier draft',
        group: 'Workbench',
        isDisabled: isBusy,
        run: () => props.onReturn(discarded),
      },
    isChanged &&
      canEdit && { title: 'Discard draft', group: 'Workbench', isDisabled: isBusy, run: onDiscard },
  ]);

  const isConflict = isStatus(saving.error, 412);
  usePausedRedirect(dialog !== undefined || shownDiff !== undefined);
  useRefetchOnRelease(snapshot, dialog !== undefined);
  return (
    <>
      <div className={styles.bar}>
        <div className={classNames(styles.barStatus, isChanged && styles.barDraft)}>
          {isChanged ? (
            <>
              <Badge tone="accent">Draft</Badge> from version {base}
              {base !== live && `, compared with live version ${live}`}
              {/* In the line that is there anyway: a notice would move the prompt on every keystroke. */}
              {problemText !== undefined ? (
                <button type="button" className={styles.problem} title={problemText} onClick={showProblem}>
                  {problemText}
                </button>
              ) : (
                changes.length > 0 && (
                  <button
                    type="button"
                    className={styles.changes}
                    title={`Compare with version ${live}`}
                    onClick={showDiff}
                  >
                    {changes.join(', ')}
                  </button>
                )
              )}
              {routineTexts.has(draftState.kind) && (
                <span className="note"> · {routineTexts.get(draftState.kind)}</span>
              )}
            </>
          ) : (
            release?.version !== base && <ShownVersion latest={snapshot.latest} />
          )}{' '}
          {/* Always there, since screen readers skip a region that appears together with its text. */}
          <span role="status" aria-atomic="false">
            {isChanged && <span className="note">{describeDraftState(draftState)}</span>}{' '}
            {release && <span>{describeRelease(release)}</span>}
          </span>{' '}
          {/* Far from Discard draft, which appears as soon as a save is undone. */}
          {canUndo && release && (
            <Button isSmall isBusy={isUndoing} disabled={isDiscarding} onClick={() => undoRelease(release)}>
              Undo
            </Button>
          )}{' '}
          {discarded && canEdit && (
            <Button isSmall isBusy={isDiscarding} onClick={() => props.onReturn(discarded)}>
              Restore earlier draft
            </Button>
          )}
        </div>
        {/* Not a notice, which would move the field: most texts are incomplete while they are typed. */}
        {incompleteField !== undefined && (
          <span className={styles.tools}>
            <Badge tone="warning">{incompleteField.label} is incomplete</Badge>
            <Button isSmall onClick={discardIncomplete}>
              Discard text
            </Button>
          </span>
        )}
        <span role="status">
          {live !== liveAtStart && !saving.isPending && (
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
              <Button disabled={!canSave} onClick={() => setDialog('save')}>
                Save…
              </Button>
            )}
            {canRelease && (
              <Button
                variant="primary"
                disabled={canMakeLive ? isBusy : !canSave}
                onClick={canMakeLive ? makeLive : () => setDialog('release')}
              >
                {canMakeLive ? 'Make live…' : 'Save and make live…'}
              </Button>
            )}
          </div>
        )}
      </div>
      {shownDiff && <DiffDialog {...shownDiff} onClose={() => setShownDiff(undefined)} />}
      {dialog !== undefined && !isConflict && (
        <SaveDialog
          isRelease={dialog === 'release'}
          options={{ note, labels: chosenLabels.map(({ label }) => label) }}
          onChange={(changed) => {
            capture.change({ note: changed.note });
            const known = [...chosenLabels, ...offeredLabels];
            setChosenLabels(
              changed.labels.flatMap((name) => known.find(({ label }) => label === name) ?? []),
            );
          }}
          base={base}
          latest={snapshot.latest}
          live={liveVersion}
          liveAtStart={liveAtStart}
          draft={draft}
          comparisonError={liveError ?? (capture.isChecking ? null : capture.dryRun.error)}
          onCompareAgain={() => {
            if (liveError) void loadLiveAgain();
            if (capture.dryRun.error) void capture.dryRun.refetch();
          }}
          labels={offeredLabels}
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

interface ShownDiff {
  readonly live: ComparedVersion & { readonly version: number };
  readonly draft: ComparedVersion;
}

function DiffDialog({ live, draft, onClose }: ShownDiff & { readonly onClose: () => void }) {
  const title = `Version ${live.version} (live)`;
  return (
    <Dialog title={`Draft compared with version ${live.version} (live)`} onClose={onClose} isWide>
      <DialogBody footer={<Button onClick={onClose}>Close</Button>}>
        <VersionDiff from={live} to={draft} titles={[title, 'Draft']} />
      </DialogBody>
    </Dialog>
  );
}

function describeRelease({ version, liveBefore }: Release): string {
  return liveBefore === undefined ? `Version ${version} saved, not live` : `Version ${version} is live`;
}

/** Not announced: they change with every pause in typing. */
const routineTexts: ReadonlyMap<DraftState['kind'], string> = new Map([
  ['saved', 'Draft saved'],
  ['saving', 'Saving draft…'],
]);

function describeDraftState(state: DraftState): string | undefined {
  if (state.kind === 'failed') return state.message;
  if (state.kind === 'offline') return 'Offline. Draft kept in this tab';
  return state.kind === 'conflict' ? 'Not saved' : undefined;
}

/** The version on screen. A newer one may have been saved and not released, which is easy to forget. */
function ShownVersion({ latest }: { readonly latest: number }) {
  const { slug, base, snapshot, canEdit } = useWorkbench();
  const live = snapshot.preset.designated_version.version;
  return (
    <span className="muted">
      Version {base}
      {base === live ? ', live' : `. Version ${live} is live`}
      {latest > base && (
        <>
          . Version {latest} is newer: <Link href={editPath(slug, latest)}>open it</Link>
        </>
      )}
      {!canEdit && '. Read-only'}
    </span>
  );
}

/** The version that was live when the draft on screen was started or opened. */
function useLiveAtStart(live: number, isChanged: boolean): number {
  const [atStart, setAtStart] = useState(live);
  if (!isChanged && atStart !== live) setAtStart(live);
  return atStart;
}

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

/** The draft as the server would store it; undefined until it has checked it. */
function useDraftVersion(capture: Capture, dialect: Dialect): ComparedVersion | undefined {
  const isOutdated = capture.isChecking || capture.dryRun.isPlaceholderData;
  const data = isOutdated ? undefined : capture.dryRun.data;
  return useMemo(
    () => data && { ...data.data.designated_version, presetd: data.presetd, dialect },
    [data, dialect],
  );
}
