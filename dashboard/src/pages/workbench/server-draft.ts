/**
 * The copy of a draft on the server, which follows the person to other tabs and machines.
 *
 * The tab keeps its own copy of what was typed; see `capture/drafts.ts`. After a pause it is sent to
 * the server, which rejects it with 412 if another tab of the same person has saved there meanwhile;
 * the user then chooses. A failed attempt is repeated until the server answers. What was sent last is
 * remembered, so that a reload knows whether the tab has anything newer than the server.
 */

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PresetDraft, PresetDraftSummary } from '../../../../src/api/drafts.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import type { Api } from '../../api/api.ts';
import { ApiError, isStatus } from '../../api/api-error.ts';
import { useSession } from '../../api/session.ts';
import { draftPrefix, readItem, removeItem, storeItem } from '../../api/tab-storage.ts';
import { type Draft, loadDraft, saveDraft } from '../capture/drafts.ts';

/** A draft as the server has it; no draft without an ETag. */
export interface ServerDraft {
  readonly draft: PresetDraft | undefined;
  readonly etag: string | undefined;
}

/**
 * Read whenever the workbench opens, which `opening` counts. People who cannot write have no draft.
 */
export function useStoredDraft(slug: string, canEdit: boolean, opening: number) {
  const { api, workspaceId, account } = useSession();
  return useQuery({
    queryKey: ['draft', account.id, workspaceId, slug, opening],
    enabled: canEdit,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) => fetchDraft(api, workspaceId, slug, signal),
  });
}

async function fetchDraft(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  signal?: AbortSignal,
): Promise<ServerDraft> {
  try {
    const input = { params: { slug }, query: { workspace_id: workspaceId } };
    const { content, headers } = await api.call('GET /presets/:slug/draft', input, { signal });
    return { draft: content.data, etag: headers.get('etag') ?? undefined };
  } catch (error) {
    if (isStatus(error, 404)) return { draft: undefined, etag: undefined };
    throw error;
  }
}

/** Others who have a draft of the preset, the most recent first. */
export function useOtherDrafts(slug: string): readonly PresetDraftSummary[] {
  const { api, workspaceId, account } = useSession();
  const { data = [] } = useQuery({
    queryKey: ['drafts', workspaceId, slug],
    refetchInterval: 15_000,
    queryFn: async ({ signal }) => {
      const input = { params: { slug }, query: { workspace_id: workspaceId, limit: 20 } };
      return (await api.call('GET /presets/:slug/drafts', input, { signal })).content.data;
    },
  });
  return data.filter(({ user_id: user }) => user !== account.id);
}

/** What the tab has sent last. */
interface Synced {
  readonly text: string;
  readonly etag: string;
}

function syncedItem(name: string) {
  return `${draftPrefix}synced/${name}` as const;
}

/** By its id: a preset that is renamed keeps it. */
export function syncedName(accountId: string, presetId: string): string {
  return `${accountId}/${presetId}`;
}

/** What the server has received from this tab; undefined for nothing. */
export function readSynced(name: string): Synced | undefined {
  const text = readItem(syncedItem(name));
  // Only `useServerDraft` writes these items.
  return text === undefined ? undefined : (JSON.parse(text) as Synced);
}

/**
 * Hands a text to the workbench of a preset, as the draft of this tab. If the server has another, the
 * workbench lets the user choose. Returns false, and changes nothing, if the tab has a draft that the
 * server has not received.
 */
export function handOverDraft(name: string, synced: string, draft: Draft): boolean {
  const before = loadDraft(name);
  if (before !== undefined && before.text !== readSynced(synced)?.text) return false;
  removeItem(syncedItem(synced));
  saveDraft(name, draft);
  return true;
}

/** Makes an earlier text the draft of this tab again, for the next workbench that opens. */
export function restoreDraft(name: string, synced: string, draft: Draft): void {
  // The server had this text, but may have deleted it since.
  if (readSynced(synced)?.text === draft.text) removeItem(syncedItem(synced));
  saveDraft(name, draft);
}

export type DraftState =
  | { readonly kind: 'saved' | 'saving' | 'offline' }
  /** The server rejects it, and would do so again. */
  | { readonly kind: 'failed'; readonly message: string }
  /** Another tab has saved this one. */
  | { readonly kind: 'conflict'; readonly other: ServerDraft };

interface ServerDraftOptions {
  /** From `syncedName`. */
  readonly name: string;
  readonly slug: string;
  readonly text: string;
  readonly dialect: Dialect;
  readonly base: number;
  /** Without changes there is no draft. */
  readonly isChanged: boolean;
  readonly canEdit: boolean;
  /** Of the draft that the workbench started with. */
  readonly etag: string | undefined;
}

const savingState: DraftState = { kind: 'saving' };

/** Debounce: long enough not to send every word. */
const pauseMs = 800;
const retryMs = 5_000;

/** Keeps the server's copy up to date. Returns its state, and how to end a conflict. */
export function useServerDraft(options: ServerDraftOptions) {
  const { name, slug, text, dialect, base, isChanged, canEdit } = options;
  const { api, workspaceId } = useSession();
  const [state, setState] = useState<DraftState>({ kind: 'saved' });
  // The text that the server has; a draft that was just opened came from there.
  const [sent, setSent] = useState(() => readSynced(name)?.text ?? (options.etag === undefined ? '' : text));
  const [attempt, setAttempt] = useState(0);
  const etag = useRef(options.etag);
  const isSending = useRef(false);
  const attempted = useRef(text);

  const send = async () => {
    const target = { params: { slug }, query: { workspace_id: workspaceId } };
    const match = etag.current;
    if (!isChanged) {
      if (match === undefined) return;
      await api.call('DELETE /presets/:slug/draft', { ...target, headers: { 'if-match': match } });
      etag.current = undefined;
      removeItem(syncedItem(name));
      return;
    }
    attempted.current = text;
    const { headers } = await api.call('PUT /presets/:slug/draft', {
      ...target,
      headers: match === undefined ? { 'if-none-match': '*' } : { 'if-match': match },
      body: { text, dialect, base_version: base },
    });
    etag.current = headers.get('etag') ?? undefined;
    if (etag.current !== undefined)
      storeItem(syncedItem(name), JSON.stringify({ text, etag: etag.current } satisfies Synced));
  };
  const latest = useRef(send);
  latest.current = send;

  /** A response that was lost looks like a change by another tab: the server has our own text. */
  const stateAfter = async (error: unknown): Promise<DraftState> => {
    if (isStatus(error, 412) || (isStatus(error, 404) && !isChanged)) {
      const other = await fetchDraft(api, workspaceId, slug).catch(() => undefined);
      if (other === undefined) return { kind: 'offline' };
      const isOurs = isChanged ? other.draft?.text === attempted.current : other.draft === undefined;
      if (!isOurs) return { kind: 'conflict', other };
      etag.current = other.etag;
      setSent(attempted.current);
      return { kind: 'saved' };
    }
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 0 || status === 429 || status >= 500) return { kind: 'offline' };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: every change restarts the timer
  useEffect(() => {
    if (!canEdit || state.kind === 'conflict') return;
    if (!isChanged && etag.current === undefined) return;
    const run = async () => {
      // Another attempt follows after a pause.
      if (isSending.current) return setAttempt((count) => count + 1);
      isSending.current = true;
      setState({ kind: 'saving' });
      try {
        await latest.current();
        setSent(attempted.current);
        setState({ kind: 'saved' });
      } catch (error) {
        setState(await stateAfter(error));
      } finally {
        isSending.current = false;
      }
    };
    const timer = setTimeout(() => void run(), pauseMs);
    return () => clearTimeout(timer);
  }, [text, dialect, base, isChanged, canEdit, attempt, state.kind === 'conflict']);

  // A lost connection comes back, or the server does.
  useEffect(() => {
    if (state.kind !== 'offline') return;
    const retry = () => setAttempt((count) => count + 1);
    const timer = setInterval(retry, retryMs);
    addEventListener('online', retry);
    return () => {
      clearInterval(timer);
      removeEventListener('online', retry);
    };
  }, [state.kind]);

  const isUnsent = canEdit && (isChanged ? sent !== text : etag.current !== undefined);
  const unsent = useRef(isUnsent);
  unsent.current = isUnsent;
  useEffect(() => {
    // The tab's own copy ends with the tab, so let the browser ask first.
    const confirmUnload = (event: BeforeUnloadEvent) => {
      if (unsent.current) event.preventDefault();
    };
    addEventListener('beforeunload', confirmUnload);
    return () => {
      removeEventListener('beforeunload', confirmUnload);
      // Within the pause, such as after Discard. A failure is no loss: the tab has the text.
      if (unsent.current) void latest.current().catch(() => undefined);
    };
  }, []);

  return {
    state: state.kind === 'saved' && isChanged && sent !== text ? savingState : state,
    /** Goes on with the text on screen; the next attempt replaces the other draft. */
    keepMine: () => {
      if (state.kind !== 'conflict') return;
      etag.current = state.other.etag;
      setState({ kind: 'saved' });
      setAttempt((count) => count + 1);
    },
    /** To be called in the tick in which the other draft is put on screen: autosave goes on with it. */
    takeOther: () => {
      if (state.kind !== 'conflict') return;
      etag.current = state.other.etag;
      setState({ kind: 'saved' });
    },
  };
}
