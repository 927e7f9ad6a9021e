import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { PresetDraft } from '../../../../src/api/drafts.ts';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { isStatus } from '../../api/api-error.ts';
import { fetchVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { WorkbenchSkeleton } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { bodyOfCommand } from '../capture/curl-command.ts';
import {
  baseVersionOf,
  type Draft,
  deleteDraft,
  draftName,
  loadDraft,
  useDraftAutosave,
} from '../capture/drafts.ts';
import { versionToRequest } from '../capture/version-to-request.ts';
import { usePresetActions } from '../preset/preset-actions.tsx';
import { editPath, parseVersion, presetPath } from '../preset/preset-links.ts';
import { importRequest } from './import-request.ts';
import { PromptPane } from './prompt/prompt-pane.tsx';
import { RunPane } from './run/run-pane.tsx';
import { useRunSession } from './run/run-session.ts';
import type { RunState } from './run/run-state.ts';
import { SaveBar } from './save-bar.tsx';
import { readSynced, type ServerDraft, syncedName, useServerDraft, useStoredDraft } from './server-draft.ts';
import { SettingsPane } from './settings/settings-pane.tsx';
import { useShownDraft } from './shown-draft.ts';
import styles from './workbench.module.css';
import { ReportProvider, useNewWorkbench, useWorkbench, WorkbenchProvider } from './workbench.ts';
import { useWorkbenchCommands } from './workbench-commands.ts';
import { type View, WorkbenchLayout } from './workbench-layout.tsx';

/**
 * Write, try and save the next version of a preset. The URL may name the version to start from; by
 * default it is the live one.
 */
export function WorkbenchTab() {
  const { slug, canChange } = usePresetActions();
  const name = draftName(useSession(), slug);
  const opening = useOpening();
  const stored = useStoredDraft(slug, canChange, opening.count);
  // A server that does not answer must not keep people from the text that this tab has.
  if (canChange && stored.data === undefined && !stored.error)
    return <WorkbenchSkeleton label="Loading draft" />;
  return (
    <LoadedDraft key={`${name} ${opening.count}`} name={name} stored={stored.data} from={opening.from} />
  );
}

/**
 * The version that the URL names. Naming one opens the workbench anew; `useStartInUrl` removes it once
 * the workbench shows another, and that does not.
 */
function useOpening() {
  const [search] = useSearchParams();
  const from = search.get('from') ?? undefined;
  const [opening, setOpening] = useState({ from, last: from, count: 0 });
  if (from === opening.last) return opening;
  const next =
    from === undefined ? { ...opening, last: from } : { from, last: from, count: opening.count + 1 };
  setOpening(next);
  return next;
}

interface LoadedDraftProps {
  readonly name: string;
  readonly stored: ServerDraft | undefined;
  /** The version to start from, as it is in the URL. */
  readonly from: string | undefined;
}

/** Chooses the newest text, and loads the version that it started from. */
function LoadedDraft({ name, stored, from }: LoadedDraftProps) {
  const { slug, snapshot } = usePresetActions();
  const { api, workspaceId, account } = useSession();
  const synced = syncedName(account.id, snapshot.preset.id);
  const live = snapshot.preset.designated_version.version;
  // Read once: the workbench goes on with this version until it saves another.
  const [newest] = useState(() => newestDraft(name, slug, stored, readSynced(synced)));
  const [isDiscarded, setIsDiscarded] = useState(false);
  const wanted = from === undefined ? undefined : parseVersion(from);
  const draft = isDiscarded ? undefined : newest.draft;
  const [base, setBase] = useState(draft?.from ?? wanted ?? live);
  const { data, error, refetch } = useQuery({
    queryKey: ['workbench', workspaceId, slug, base],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => fetchVersion(api, workspaceId, { slug, version: base }, signal),
  });
  if (from !== undefined && wanted === undefined) return <UnknownStart from={from} />;
  if (draft !== undefined && wanted !== undefined && wanted !== base)
    return (
      <OtherDraft
        base={base}
        wanted={wanted}
        onDiscard={() => {
          deleteDraft(name);
          setIsDiscarded(true);
          setBase(wanted);
        }}
      />
    );
  if (data !== undefined)
    return (
      <OpenWorkbench
        name={name}
        synced={synced}
        start={data}
        draft={draft}
        etag={newest.etag}
        from={wanted}
      />
    );
  if (isStatus(error, 404) && wanted !== undefined) return <UnknownStart from={String(wanted)} />;
  return error ? (
    <ErrorNotice error={error} title={`Could not load version ${base}`} retry={() => void refetch()} />
  ) : (
    <WorkbenchSkeleton />
  );
}

function UnknownStart({ from }: { readonly from: string }) {
  const { slug, snapshot } = usePresetActions();
  const live = snapshot.preset.designated_version.version;
  return (
    <Notice
      kind="danger"
      title={`This preset has no version “${from}”`}
      actions={<ButtonLink href={editPath(slug, live)}>Start from the live version</ButtonLink>}
    />
  );
}

interface OtherDraftProps {
  readonly base: number;
  readonly wanted: number;
  readonly onDiscard: () => void;
}

/** A person has one draft of a preset. If it started from another version, ask before it goes. */
function OtherDraft({ base, wanted, onDiscard }: OtherDraftProps) {
  const { slug } = usePresetActions();
  return (
    <Notice
      kind="warning"
      title={`You have a draft based on version ${base}`}
      actions={
        <>
          <ButtonLink isSmall variant="primary" href={editPath(slug, base)}>
            Continue the draft
          </ButtonLink>
          <Button isSmall onClick={onDiscard}>
            Discard it and start from version {wanted}
          </Button>
        </>
      }
    >
      You can have one draft of a preset. Starting from version {wanted} discards yours.
    </Notice>
  );
}

/** The draft of this tab if it has something that the server has not received, or the server's. */
function newestDraft(
  name: string,
  slug: string,
  stored: ServerDraft | undefined,
  synced: ReturnType<typeof readSynced>,
) {
  const local = loadDraft(name);
  if (local !== undefined && (local.text !== synced?.text || stored === undefined))
    return { draft: { ...local, from: baseVersionOf(local) }, etag: synced?.etag };
  const { draft, etag } = stored ?? {};
  if (draft === undefined) return { draft: undefined, etag: undefined };
  return {
    draft: { text: draft.text, slug, from: draft.base_version, dialect: draft.dialect ?? undefined },
    etag,
  };
}

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

function OpenWorkbench({ name, synced, start, draft: opened, etag, from }: OpenWorkbenchProps) {
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

interface ImportedByPasteProps {
  readonly change: (changed: Partial<Draft>) => void;
  readonly offerReturn: ReturnType<typeof useShownDraft>['offerReturn'];
  readonly children: ReactNode;
}

/**
 * A pasted curl line, or a request pasted outside of a field, replaces the draft; its conversation
 * is ready to run. In a field, JSON is text like any other.
 */
function ImportedByPaste({ change, offerReturn, children }: ImportedByPasteProps) {
  const { canEdit, base, draft, dialect } = useWorkbench();
  const runSession = useRunSession();
  function importPasted(event: ClipboardEvent) {
    const pasted = event.clipboardData.getData('text/plain');
    const isText = isEditable(event.target) && bodyOfCommand(pasted) === undefined;
    const request = canEdit && !isText ? importRequest(pasted) : undefined;
    if (request === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const before = { text: draft.get().text, dialect, from: base };
    const runBefore = runSession.state.get();
    const showRun = (run: RunState) => {
      runSession.clear();
      runSession.change(run);
    };
    change({ text: request.text, dialect: request.dialect });
    showRun({ ...runBefore, messages: request.messages, caseName: undefined });
    offerReturn('Imported the request', before, () => showRun(runBefore));
  }
  return (
    <div className={styles.page} onPasteCapture={importPasted}>
      {children}
    </div>
  );
}

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

/** Whether the user pastes into a field. An editor is a field, whose inside the page does not see. */
function isEditable(target: EventTarget): boolean {
  return target instanceof Element && (target.matches('input, textarea') || target.shadowRoot !== null);
}
