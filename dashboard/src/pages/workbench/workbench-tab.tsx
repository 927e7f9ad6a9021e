import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, useMemo, useState } from 'react';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { fetchVersion, type PresetSnapshot } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import {
  baseVersionOf,
  type Draft,
  deleteDraft,
  draftName,
  loadDraft,
  useDraftAutosave,
} from '../capture/drafts.ts';
import { versionToRequest } from '../capture/version-to-request.ts';
import { usePresetActions, useShownVersion } from '../preset/preset-actions.tsx';
import { importRequest } from './import-request.ts';
import { PromptPane } from './prompt/prompt-pane.tsx';
import { RunPane, useRunShortcut } from './run/run-pane.tsx';
import { SaveBar } from './save-bar.tsx';
import { readSynced, type ServerDraft, useServerDraft, useStoredDraft } from './server-draft.ts';
import { SettingsPane } from './settings/settings-pane.tsx';
import { type ImportedConversation, useNewWorkbench, WorkbenchProvider } from './workbench.ts';
import { WorkbenchLayout } from './workbench-layout.tsx';

/** Write, try and save the next version of a preset. */
export function WorkbenchTab() {
  const { slug, canChange } = usePresetActions();
  const session = useSession();
  const name = draftName(session, slug);
  const stored = useStoredDraft(slug, canChange);
  // A server that does not answer must not keep people from the text that this tab has.
  if (canChange && stored.data === undefined && !stored.error)
    return <Loading lines={12} label="Loading draft" />;
  return <LoadedDraft key={name} name={name} stored={stored.data} />;
}

interface LoadedDraftProps {
  readonly name: string;
  readonly stored: ServerDraft | undefined;
}

/** Chooses the newest text, and loads the version that it started from. */
function LoadedDraft({ name, stored }: LoadedDraftProps) {
  const { slug, snapshot } = usePresetActions();
  const { api, workspaceId } = useSession();
  // Read once: the workbench goes on with this version until it saves another.
  const [{ draft, etag }] = useState(() => newestDraft(name, slug, stored));
  const base = draft?.from ?? snapshot.preset.designated_version.version;
  const { data, error, refetch } = useQuery({
    queryKey: ['workbench', workspaceId, slug, base],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => fetchVersion(api, workspaceId, { slug, version: base }, signal),
  });
  if (data !== undefined) return <OpenWorkbench name={name} start={data} draft={draft} etag={etag} />;
  return error ? (
    <ErrorNotice error={error} title={`Could not load version ${base}`} retry={() => void refetch()} />
  ) : (
    <Loading lines={12} label="Loading workbench" />
  );
}

/** The draft of this tab if it has something that the server has not received, or the server's. */
function newestDraft(name: string, slug: string, stored: ServerDraft | undefined) {
  const local = loadDraft(name);
  const synced = readSynced(name);
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
  /** The version that the draft starts from. */
  readonly start: PresetVersionDetails;
  readonly draft: Draft | undefined;
  readonly etag: string | undefined;
}

function OpenWorkbench({ name, start, draft: opened, etag }: OpenWorkbenchProps) {
  const { slug, snapshot, canChange } = usePresetActions();
  const { api, workspaceId } = useSession();
  const showToast = useToast();
  const [version, setVersion] = useState(start);
  useShownVersion(version.version);
  useRunShortcut();
  const pristine = useMemo(() => versionToRequest(version), [version]);
  const [draft] = useState(() => ({
    text: pristine,
    slug,
    before: snapshot,
    ...opened,
    from: version.version,
  }));
  const [imported, setImported] = useState<ImportedConversation>({ messages: [], count: 0 });
  const workbench = useNewWorkbench({
    imported,
    slug,
    snapshot,
    start: draft,
    base: version.version,
    pristine,
    baseDialect: version.dialect,
    canEdit: canChange,
  });
  const { capture, text, isChanged, replaceText } = workbench;
  useDraftAutosave(name, { ...capture.draft, from: version.version }, isChanged);

  const serverDraft = useServerDraft({
    name,
    slug,
    text,
    dialect: workbench.dialect,
    base: version.version,
    isChanged,
    canEdit: canChange,
    etag,
  });

  async function goOnFrom(number: number, before: PresetSnapshot) {
    const saved = await fetchVersion(
      api,
      workspaceId,
      { slug, version: number },
      new AbortController().signal,
    );
    deleteDraft(name);
    setVersion(saved);
    capture.change({ text: versionToRequest(saved), before, note: undefined, goesLive: undefined });
  }
  /** Pasted anywhere, a whole request replaces the draft and its conversation is ready to run. */
  function importPasted(event: ClipboardEvent) {
    const request = canChange ? importRequest(event.clipboardData.getData('text/plain')) : undefined;
    if (request === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const before = { text, dialect: capture.draft.dialect };
    replaceText(request.text);
    capture.change({ dialect: request.dialect });
    setImported(({ count }) => ({ messages: request.messages, count: count + 1 }));
    showToast('Imported the request', () => {
      replaceText(before.text);
      capture.change({ dialect: before.dialect });
    });
  }
  function discard() {
    replaceText(pristine);
    capture.change({ before: snapshot });
    showToast('Draft discarded', () => replaceText(text));
  }
  return (
    <WorkbenchProvider value={workbench}>
      <SaveBar
        name={name}
        draftState={serverDraft.state}
        onSaved={goOnFrom}
        onDiscard={discard}
        onRestore={replaceText}
      />
      {serverDraft.state.kind === 'conflict' && (
        <DraftConflict
          other={serverDraft.state.other}
          onKeep={serverDraft.keepMine}
          onTake={(other) => {
            serverDraft.takeOther();
            replaceText(other);
          }}
        />
      )}
      <div onPasteCapture={importPasted}>
        <WorkbenchLayout
          parts={[
            { id: 'prompt', title: 'Prompt', content: <PromptPane /> },
            { id: 'settings', title: 'Settings', content: <SettingsPane /> },
            { id: 'run', title: 'Run', content: <RunPane /> },
          ]}
        />
      </div>
    </WorkbenchProvider>
  );
}

interface DraftConflictProps {
  readonly other: ServerDraft;
  readonly onKeep: () => void;
  readonly onTake: (text: string) => void;
}

/** Two tabs of one person have changed the draft. */
function DraftConflict({ other: { draft }, onKeep, onTake }: DraftConflictProps) {
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
          <Button isSmall variant="primary" onClick={onKeep}>
            Keep this text
          </Button>
          {draft !== undefined && (
            <Button isSmall onClick={() => onTake(draft.text)}>
              Use the other
            </Button>
          )}
        </>
      }
    >
      The text on this page is not saved on the server until you choose.
    </Notice>
  );
}
