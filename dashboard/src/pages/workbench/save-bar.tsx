import { useEffect, useMemo, useState } from 'react';
import { isStatus } from '../../api/api-error.ts';
import { fetchPreset, type PresetSnapshot, useLabels, useVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/text.ts';
import { useToast } from '../../components/toasts.tsx';
import { withSaveOptions } from '../capture/save-options.ts';
import { type SavedVersion, useSaveVersion } from '../capture/use-submit-capture.ts';
import { describeChanges } from '../preset/compare/describe-changes.ts';
import type { ComparedVersion } from '../preset/compare/version-diff.tsx';
import { ConflictDialog } from '../preset/conflict-dialog.tsx';
import { moveLabel, patchPreset } from '../preset/preset-action.ts';
import { usePresetActions } from '../preset/preset-actions.tsx';
import { offerUndo, useRecentRelease } from './recent-release.ts';
import { SaveDialog, type SaveOptions } from './save-dialog.tsx';
import { type DraftState, useOtherDrafts } from './server-draft.ts';
import styles from './workbench.module.css';
import { useWorkbench } from './workbench.ts';

interface SaveBarProps {
  /** Of the stored draft. */
  readonly name: string;
  readonly draftState: DraftState;
  /** Goes on from the version that was saved. */
  readonly onSaved: (version: number, snapshot: PresetSnapshot) => Promise<void>;
  readonly onDiscard: () => void;
  /** Returns a text to the draft, such as that of a save that is undone. */
  readonly onRestore: (text: string) => void;
}

/** The state of the draft, and what can be done with it. */
export function SaveBar({ name, draftState, onSaved, onDiscard, onRestore }: SaveBarProps) {
  const { slug, base, isChanged, canEdit, capture, snapshot, text, checked, dialect } = useWorkbench();
  const { canRelease } = usePresetActions();
  const { api, workspaceId } = useSession();
  const showToast = useToast();
  const release = useRecentRelease(name);
  const [dialog, setDialog] = useState<'save' | 'release'>();
  const [options, setOptions] = useState<SaveOptions>({ note: '', labels: [] });
  const live = snapshot.preset.designated_version.version;
  const { data: liveVersion } = useVersion(slug, live);
  const labels = useLabels(slug, snapshot.etag).data?.data ?? [];
  const draft = useDraftVersion();
  const saving = useSaveVersion((saved) => void finish(saved));
  const hasProblems = checked.kind !== 'valid' || capture.report.problems.length > 0;
  const changes = useMemo(
    () => (liveVersion && draft ? describeChanges(liveVersion, draft) : []),
    [liveVersion, draft],
  );
  useSaveShortcut(canEdit && isChanged && !hasProblems ? () => setDialog('save') : undefined);

  function save(chosen: SaveOptions, etag = capture.draft.before?.etag) {
    if (checked.kind !== 'valid') return;
    setOptions(chosen);
    const fields = { note: chosen.note, goesLive: dialog === 'release' };
    saving.mutate({ slug, dialect, text: withSaveOptions(text, checked.body, fields), etag });
  }

  /** Moves the chosen labels, and offers to undo all of it. */
  async function finish({ version, live: liveNow }: SavedVersion) {
    const isLive = version === liveNow;
    const saved = text;
    const target = { params: { slug }, query: { workspace_id: workspaceId } };
    for (const label of options.labels) await moveLabel(label, undefined, version).change(api, target);
    await onSaved(version, await fetchPreset(api, workspaceId, slug));
    setDialog(undefined);
    saving.reset();
    const message = isLive ? `Version ${version} is live` : `Version ${version} saved, not live`;
    const undo = async () => {
      offerUndo(name, undefined);
      if (isLive) await patchPreset({ designated_version: live })(api, target);
      for (const label of options.labels) await moveLabel(label, undefined, live).change(api, target);
      onRestore(saved);
      showToast(isLive ? `Version ${live} is live again` : `Version ${version} is your draft again`);
    };
    const failed = (reason: unknown) => showToast(`Could not undo: ${String(reason)}`);
    offerUndo(name, { message, undo: () => void undo().catch(failed) });
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
              <span className="note"> · {stateTexts[draftState.kind]}</span>
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
            {release.message}{' '}
            <Button isSmall onClick={release.undo}>
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
      {capture.report.problems.length > 0 && (
        <Notice kind="warning" title="The draft cannot be saved yet">
          {capture.report.problems
            .slice(0, 3)
            .map(({ message }) => message)
            .join(' ')}
        </Notice>
      )}
      {dialog !== undefined && !isConflict && (
        <SaveDialog
          isRelease={dialog === 'release'}
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
      {capture.draft.before !== undefined && isConflict && (
        <ConflictDialog
          slug={slug}
          before={capture.draft.before}
          onClose={() => saving.reset()}
          closeLabel="Keep editing"
          onRetry={(now) => {
            capture.change({ before: now });
            save(options, now.etag);
          }}
        />
      )}
    </>
  );
}

const stateTexts: Readonly<Record<DraftState['kind'], string>> = {
  saved: 'Draft saved',
  saving: 'Saving draft…',
  offline: 'Server not reachable. Your text is kept in this tab',
  conflict: 'Not saved',
};

/** Somebody who typed this recently is at it now. */
const recentMs = 5 * 60_000;

/** Colleagues with a draft of the same preset, so that nobody is surprised by a conflict. */
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
function useDraftVersion(): ComparedVersion | undefined {
  const { capture, dialect } = useWorkbench();
  const data = capture.dryRun.data;
  return useMemo(
    () => data && { ...data.data.designated_version, presetd: data.presetd, dialect },
    [data, dialect],
  );
}

/** Ctrl+S or ⌘+S, which browsers use to save the page. */
function useSaveShortcut(onSave: (() => void) | undefined): void {
  useEffect(() => {
    const save = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) onSave?.();
    };
    addEventListener('keydown', save);
    return () => removeEventListener('keydown', save);
  }, [onSave]);
}
