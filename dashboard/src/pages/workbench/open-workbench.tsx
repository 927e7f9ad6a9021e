import { useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { PresetDraft } from '../../../../src/api/drafts.ts';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { type Draft, deleteDraft, useDraftAutosave } from '../capture/drafts.ts';
import { versionToRequest } from '../capture/version-to-request.ts';
import { usePresetActions } from '../preset/preset-actions.tsx';
import { presetPath } from '../preset/preset-links.ts';
import { ImportedByPaste } from './import-by-paste.tsx';
import { PromptPane } from './prompt/prompt-pane.tsx';
import { RunPane } from './run/run-pane.tsx';
import { SaveBar } from './save-bar.tsx';
import { type ServerDraft, useServerDraft } from './server-draft.ts';
import { SettingsPane } from './settings/settings-pane.tsx';
import { useShownDraft } from './shown-draft.ts';
import { ReportProvider, useNewWorkbench, WorkbenchProvider } from './workbench.ts';
import { useWorkbenchCommands } from './workbench-commands.ts';
import { type View, WorkbenchLayout } from './workbench-layout.tsx';

interface OpenWorkbenchProps {
  /** Of the stored draft. */
  readonly name: string;
  /** Under which the tab remembers what the server has. */
  readonly synced: string;
  /** The version that the draft starts from. */
  readonly start: PresetVersionDetails;
  readonly draft: Draft | undefined;
  readonly etag: string | undefined;
  /** The version that the URL names. */
  readonly from: number | undefined;
}

/** The bar above the panes, the panes, and the draft that they share. */
export function OpenWorkbench({ name, synced, start, draft: opened, etag, from }: OpenWorkbenchProps) {
  const { slug, snapshot, canChange } = usePresetActions();
  const [version, setVersion] = useState(start);
  useStartInUrl(slug, from, version.version);
  useWorkbenchCommands(canChange);
  const [view, setView] = useState<View>({ shown: 'prompt', isMaximized: false });
  const pristine = useMemo(() => versionToRequest(version), [version]);
  const [draft] = useState(() => ({
    text: pristine,
    slug,
    ...opened,
    dialect: opened?.dialect ?? version.dialect,
    from: version.version,
  }));
  const { workbench, capture, change } = useNewWorkbench({
    slug,
    snapshot,
    start: draft,
    base: version.version,
    baseDialect: version.dialect,
    canEdit: canChange,
  });
  const { text } = capture.draft;
  const isChanged = text !== pristine;
  useDraftAutosave(name, { ...capture.draft, from: version.version }, isChanged);

  const serverDraft = useServerDraft({
    name: synced,
    slug,
    text,
    dialect: workbench.dialect,
    base: version.version,
    isChanged,
    canEdit: canChange,
    etag,
  });

  const { showVersion, replaceDraft, offerReturn, isReplacing } = useShownDraft({
    ...{ name, synced, slug, version, draft: workbench.draft, dialect: workbench.dialect },
    show(base, next) {
      if (next === undefined) deleteDraft(name);
      setVersion(base);
      change({
        text: next?.text ?? versionToRequest(base),
        dialect: next?.dialect ?? base.dialect,
        note: undefined,
      });
    },
  });
  return (
    <WorkbenchProvider value={workbench}>
      <SaveBar
        name={name}
        capture={capture}
        isChanged={isChanged}
        onReveal={(offset) => {
          setView({ shown: 'settings', isMaximized: false });
          workbench.revealed.set({ offset });
        }}
        draftState={serverDraft.state}
        onSaved={showVersion}
        onDiscard={() => void replaceDraft('Draft discarded', snapshot.preset.designated_version.version)}
        isDiscarding={isReplacing}
        onRestore={showVersion}
      />
      {serverDraft.state.kind === 'conflict' && (
        <DraftConflict
          other={serverDraft.state.other}
          isBusy={isReplacing}
          onKeep={serverDraft.keepMine}
          onTake={({ text: other, dialect, base_version: from }) => {
            const next = { text: other, dialect: dialect ?? undefined };
            void replaceDraft('Switched to the other draft', from, next, serverDraft.takeOther);
          }}
        />
      )}
      <ReportProvider value={capture.report}>
        <ImportedByPaste change={change} offerReturn={offerReturn}>
          <WorkbenchLayout parts={parts} view={view} onView={setView} />
        </ImportedByPaste>
      </ReportProvider>
    </WorkbenchProvider>
  );
}

/** The URL names the version only as long as the workbench is based on it, so that a reload is right. */
function useStartInUrl(slug: string, from: number | undefined, base: number): void {
  const [, navigate] = useLocation();
  const isOutdated = from !== undefined && from !== base;
  useEffect(() => {
    if (isOutdated) navigate(presetPath(slug), { replace: true });
  }, [slug, isOutdated, navigate]);
}

/** Constant, so that a part renders only if something that it reads changes. */
const parts = [
  { id: 'prompt', title: 'Prompt', content: <PromptPane /> },
  { id: 'settings', title: 'Settings', content: <SettingsPane /> },
  { id: 'run', title: 'Run', content: <RunPane /> },
] as const;

interface DraftConflictProps {
  readonly other: ServerDraft;
  /** The other draft is about to be shown. */
  readonly isBusy: boolean;
  readonly onKeep: () => void;
  readonly onTake: (draft: PresetDraft) => void;
}

/** Two tabs of one person have changed the draft. */
function DraftConflict({ other: { draft }, isBusy, onKeep, onTake }: DraftConflictProps) {
  return (
    <Notice
      kind="warning"
      title={
        draft === undefined
          ? 'You discarded or saved this draft in another tab'
          : 'You changed this draft in another tab'
      }
      actions={
        <>
          <Button isSmall variant="primary" disabled={isBusy} onClick={onKeep}>
            Keep this text
          </Button>
          {draft !== undefined && (
            <Button isSmall isBusy={isBusy} onClick={() => onTake(draft)}>
              Use the other draft
            </Button>
          )}
        </>
      }
    >
      The text on this page is not saved on the server until you choose.
    </Notice>
  );
}
