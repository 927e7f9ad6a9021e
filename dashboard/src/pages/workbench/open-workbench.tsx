import { useCallback, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { presetPath } from '../../components/preset-links.ts';
import { useUrlParams } from '../../components/use-url-params.ts';
import type { DraftBody, DraftSender } from '../../features/drafts/draft-sender.ts';
import { type Draft, deleteDraft, useDraftAutosave } from '../../features/drafts/drafts.ts';
import { useServerDraft } from '../../features/drafts/server-draft.ts';
import { usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';
import { versionToRequest } from '../../features/request/version-to-request.ts';
import { ImportedByPaste } from './import-by-paste.tsx';
import { PromptPane } from './prompt/prompt-pane.tsx';
import { RunPane } from './run/run-pane.tsx';
import { DraftConflict } from './save/draft-conflict.tsx';
import { SaveBar } from './save/save-bar.tsx';
import { SettingsPane } from './settings/settings-pane.tsx';
import { OfferUndoProvider, useShownDraft } from './shown-draft.ts';
import { ReportProvider, useNewWorkbench, WorkbenchProvider } from './workbench.ts';
import { ShowRunProvider } from './workbench-commands.ts';
import { type View, WorkbenchLayout } from './workbench-layout.tsx';

interface OpenWorkbenchProps {
  /** Name of the stored draft. */
  readonly name: string;
  readonly sender: DraftSender;
  /** The version that the draft starts from. */
  readonly start: PresetVersionDetails;
  readonly draft: Draft | undefined;
  /** The version that the URL names. */
  readonly from: number | undefined;
}

/** The bar above the panes, the panes, and the draft that they share. */
export function OpenWorkbench({ name, sender, start, draft: opened, from }: OpenWorkbenchProps) {
  const { slug, snapshot, canChange } = usePresetActions();
  const [version, setVersion] = useState(start);
  useStartInUrl(slug, from, version.version);
  const isForRun = useUrlParams().value('run') !== '';
  const [view, setView] = useState<View>({ shown: isForRun ? 'run' : 'prompt' });
  // At once: what the run needs can only be focused on screen.
  const showRun = useCallback(
    () => flushSync(() => setView((now) => (now.maximized === 'prompt' ? { shown: 'run' } : now))),
    [],
  );
  const pristine = useMemo(() => versionToRequest(version), [version]);
  const [draft] = useState(() => ({
    text: pristine,
    slug,
    ...opened,
    dialect: opened?.dialect ?? version.dialect,
    from: version.version,
  }));
  const home = useMemo(() => ({ name, slug, sender }), [name, slug, sender]);
  const { workbench, capture, change } = useNewWorkbench({
    slug,
    home,
    snapshot,
    start: draft,
    base: version.version,
    baseDialect: version.dialect,
    canEdit: canChange,
  });
  const { text } = capture.draft;
  const isChanged = text !== pristine || workbench.dialect !== version.dialect;
  useDraftAutosave(name, { ...capture.draft, from: version.version }, isChanged);

  const draftState = useServerDraft(
    sender,
    isChanged ? { text, dialect: workbench.dialect, base_version: version.version } : undefined,
  );

  const { showVersion, replaceDraft, offerUndo, isReplacing } = useShownDraft({
    ...home,
    ...{ presetId: snapshot.preset.id, version, draft: workbench.draft, dialect: workbench.dialect },
    replaceText: workbench.replaceText,
    note: capture.draft.note,
    show(base, next) {
      if (next === undefined) deleteDraft(name);
      workbench.incomplete.set(new Map());
      setVersion(base);
      change({
        text: next?.text ?? versionToRequest(base),
        dialect: next?.dialect ?? base.dialect,
        note: next?.note,
      });
    },
  });
  return (
    <WorkbenchProvider value={workbench}>
      <SaveBar
        capture={capture}
        isChanged={isChanged}
        onReveal={(offset) => {
          setView({ shown: 'settings' });
          workbench.revealed.set({ offset });
        }}
        draftState={draftState}
        onSaved={showVersion}
        onDiscard={() => void replaceDraft('Draft discarded', snapshot.preset.designated_version.version)}
        isDiscarding={isReplacing}
        onRestoreDiscarded={(earlier) => void replaceDraft('Draft restored', earlier.from, earlier)}
        onRestore={showVersion}
      >
        {draftState.kind === 'conflict' && (
          <DraftConflict
            other={draftState.other}
            isChanged={isChanged}
            isBusy={isReplacing}
            onReplace={(other) => {
              sender.replaceOther();
              if (!isChanged && other !== undefined) offerUndo('Draft discarded', textOf(other));
            }}
            onTake={(other) =>
              void replaceDraft('Switched to the other draft', other.base_version, textOf(other))
            }
          />
        )}
      </SaveBar>
      <ReportProvider value={capture.report}>
        <OfferUndoProvider value={offerUndo}>
          <ImportedByPaste>
            <ShowRunProvider value={showRun}>
              <WorkbenchLayout parts={parts} view={view} onView={setView} />
            </ShowRunProvider>
          </ImportedByPaste>
        </OfferUndoProvider>
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

function textOf({ text, dialect, base_version: from }: DraftBody) {
  return { text, dialect: dialect ?? undefined, from };
}
