import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import type { PresetSnapshot } from '../../api/presets.ts';
import { useUrlParams } from '../../components/use-url-params.ts';
import type { Capture } from '../../features/capture/use-capture.ts';
import { type Draft, deleteDraft, useDraftAutosave } from '../../features/drafts/drafts.ts';
import { versionToRequest } from '../../features/request/version-to-request.ts';
import { ImportProvider } from './import-request.tsx';
import { PromptPane } from './prompt/prompt-pane.tsx';
import { RunPane } from './run/run-pane.tsx';
import { SettingsPane } from './settings/settings-pane.tsx';
import { type DraftHome, OfferUndoProvider, type StartVersion, useShownDraft } from './shown-draft.ts';
import { CheckProvider, useNewWorkbench, WorkbenchProvider } from './workbench.ts';
import { ShowRunProvider } from './workbench-commands.ts';
import { isNarrow, type View, WorkbenchLayout } from './workbench-layout.tsx';

/** The props of a bar above the panes. */
export interface BarProps
  extends Pick<
    ReturnType<typeof useShownDraft>,
    'showVersion' | 'replaceDraft' | 'offerUndo' | 'isReplacing'
  > {
  readonly capture: Capture;
  /** Whether the text differs from what it started from. */
  readonly isChanged: boolean;
  /** Whether the panes are on screen. */
  readonly isWriting: boolean;
  /** The version that the draft is based on. */
  readonly version: StartVersion;
  /** Shows a place in the request. */
  readonly onReveal: (offset: number) => void;
  /** Ends the autosave and deletes the stored draft, once it is saved. */
  readonly forgetDraft: () => void;
}

export interface StartProps extends Pick<BarProps, 'onReveal'> {
  /** Shows the panes. */
  readonly onWrite: () => void;
}

interface OpenWorkbenchProps {
  readonly home: DraftHome;
  /** Undefined for a new preset. */
  readonly preset: PresetSnapshot | undefined;
  readonly canEdit: boolean;
  /** The version that the draft starts from. */
  readonly start: StartVersion;
  readonly draft: Draft | undefined;
  readonly renderBar: (bar: BarProps) => ReactNode;
  /** Shown instead of the panes until there is a draft. */
  readonly renderStart?: (start: StartProps) => ReactNode;
}

/** The bar above the panes, the panes, and the draft that they share. */
export function OpenWorkbench(props: OpenWorkbenchProps) {
  const { home, preset, canEdit, start, draft: opened, renderBar, renderStart } = props;
  const [version, setVersion] = useState(start);
  const isForRun = useUrlParams().value('run') !== '';
  const [view, setView] = useState<View>({ shown: isForRun ? 'run' : 'prompt' });
  // At once: what the run needs can only be focused on screen.
  const showRun = useCallback(
    () =>
      flushSync(() => setView((now) => (isNarrow() || now.maximized === 'prompt' ? { shown: 'run' } : now))),
    [],
  );
  const pristine = useMemo(() => versionToRequest(version), [version]);
  // A new preset has the format of its text.
  const dialectOf = (text: Pick<Draft, 'dialect'> | undefined, base: StartVersion) =>
    text?.dialect ?? (preset && base.dialect);
  const [draft] = useState(() => ({
    slug: home.slug,
    ...opened,
    text: opened?.text || pristine,
    dialect: dialectOf(opened, version),
    from: preset && version.version,
  }));
  const { workbench, capture, change } = useNewWorkbench({
    ...{ home, preset, start: draft, canEdit },
    base: version.version,
    baseDialect: version.dialect,
    untouched: preset === undefined ? pristine : undefined,
  });
  const { text, slug, note, keepsBraces } = capture.draft;
  const isChanged = text !== pristine || workbench.dialect !== version.dialect;
  const fields = preset === undefined ? { slug, note, keepsBraces } : { note, keepsBraces };
  const forgetDraft = useDraftAutosave(
    home.name,
    { ...capture.draft, from: preset && version.version },
    isChanged || (preset === undefined && (slug !== '' || note !== undefined)),
  );
  const [isWriting, setIsWriting] = useState(isChanged);
  if (isChanged && !isWriting) setIsWriting(true);

  const shownDraft = useShownDraft({
    ...{ home, version, fields, draft: workbench.draft, dialect: workbench.dialect },
    replaceText: workbench.replaceText,
    show(base, next) {
      if (next === undefined) deleteDraft(home.name);
      workbench.incomplete.set(new Map());
      setVersion(base);
      const shown = next?.text ?? versionToRequest(base);
      setIsWriting(shown !== versionToRequest(base));
      change({
        text: shown,
        dialect: dialectOf(next, base),
        note: next?.note,
        keepsBraces: next?.keepsBraces,
        ...(preset === undefined && { slug: next?.slug ?? '' }),
      });
    },
  });
  const { report, leftOut } = capture;
  const check = useMemo(() => ({ report, leftOut }), [report, leftOut]);
  const onReveal = (offset: number) => {
    setIsWriting(true);
    setView({ shown: 'settings' });
    workbench.revealed.set({ offset });
  };
  return (
    <WorkbenchProvider value={workbench}>
      <OfferUndoProvider value={shownDraft.offerUndo}>
        <ImportProvider>
          {renderBar({ ...shownDraft, capture, isChanged, isWriting, version, forgetDraft, onReveal })}
          <CheckProvider value={check}>
            <ShowRunProvider value={showRun}>
              {renderStart && !isWriting ? (
                renderStart({ onReveal, onWrite: () => setIsWriting(true) })
              ) : (
                <WorkbenchLayout parts={parts} view={view} onView={setView} />
              )}
            </ShowRunProvider>
          </CheckProvider>
        </ImportProvider>
      </OfferUndoProvider>
    </WorkbenchProvider>
  );
}

/** Constant, so that a part renders only if something that it reads changes. */
const parts = [
  { id: 'prompt', title: 'Prompt', content: <PromptPane /> },
  { id: 'settings', title: 'Settings', content: <SettingsPane /> },
  { id: 'run', title: 'Run', content: <RunPane /> },
] as const;
