/**
 * Keeps the server's copy of a draft up to date, for the other tabs and machines of the person.
 *
 * There is one sender per preset and signed-in person. It outlives the workbench: what was typed is
 * sent even if the user has left the page, and repeated until the server answers. Requests
 * run one at a time, each with the ETag that the last one returned. The server rejects one with 412
 * if another tab of the same person has saved there meanwhile; the user then chooses. What the
 * server has received is also stored in the tab, so that a reload knows whether the tab has
 * anything newer.
 */

import type { PresetDraft } from '../../../../src/api/drafts.ts';
import type { Api } from '../../api/api.ts';
import { ApiError, isStatus, isTemporary } from '../../api/api-error.ts';
import { draftPrefix, readItem, removeItem, storeItem } from '../../api/tab-storage.ts';
import { messageOf } from '../../components/notice.tsx';
import { createStore, type Store } from '../../components/store.ts';

export type DraftBody = Pick<PresetDraft, 'text' | 'dialect' | 'base_version'>;

/** A draft as the server has it; no draft without an ETag. */
interface ServerDraft {
  readonly draft: DraftBody | undefined;
  readonly etag: string | undefined;
}

export type DraftState =
  | { readonly kind: 'saved' | 'saving' | 'offline' }
  /** The server rejects it, and would do so again. */
  | { readonly kind: 'failed'; readonly message: string }
  /** Another tab has saved this draft, or deleted it. */
  | { readonly kind: 'conflict'; readonly other: DraftBody | undefined };

export interface DraftSender {
  /** Identifies the person and the preset. */
  readonly name: string;
  readonly state: Store<DraftState>;
  /** Follows a preset that was renamed. */
  slug: string;
  /** Makes this the server's draft after a pause; undefined deletes it. */
  want(draft: DraftBody | undefined): void;
  /** Sends now what waits for the pause. */
  flush(): void;
  /** Whether the tab has something that the server has not confirmed. */
  isUnsent(): boolean;
  /** Whether the server has received this text from the tab, or the tab from the server. */
  hasReceived(text: string): boolean;
  /**
   * The newest draft: what is not sent yet, or what the server has. `isOnServer` says whether that
   * may have one: a request for none is an error that the browser logs.
   */
  open(signal?: AbortSignal, isOnServer?: () => Promise<boolean>): Promise<DraftBody | undefined>;
  /**
   * Checks whether another tab has changed the draft, once for each `changedAt`, and again if the
   * draft could not be read. With something to send, sending finds out. `isOnServer` as for `open`.
   */
  check(changedAt: string, isOnServer?: boolean): Promise<void>;
  /** Ends a conflict: the wanted draft replaces the other one. So does wanting the other one. */
  replaceOther(): void;
  /** For a text from elsewhere, which must not replace the server's draft without asking. */
  forget(): void;
}

const senders = new WeakMap<Api, Map<string, DraftSender>>();

/** `name` identifies the person and the preset. Senders end with the session. */
export function draftSenderOf(api: Api, workspaceId: string | undefined, name: string, slug: string) {
  const ofClient = senders.get(api) ?? new Map<string, DraftSender>();
  senders.set(api, ofClient);
  const sender = ofClient.get(name) ?? createDraftSender(api, workspaceId, name);
  ofClient.set(name, sender);
  sender.slug = slug;
  return sender;
}

/** Debounce: long enough not to send every word. */
const pauseMs = 800;
const retryMs = 5_000;

/** Texts whose responses were lost are remembered, up to this number. */
const uncertainMax = 20;

const saved: DraftState = { kind: 'saved' };
const saving: DraftState = { kind: 'saving' };
const offline: DraftState = { kind: 'offline' };
const none: ServerDraft = { draft: undefined, etag: undefined };

export function createDraftSender(api: Api, workspaceId: string | undefined, name: string): DraftSender {
  const item = `${draftPrefix}synced/${name}` as const;
  const state = createStore<DraftState>(saved);
  // The state on which the tab and the server agreed last, and the server's as last seen.
  let synced = readSynced(item);
  let latest = synced;
  let wanted = synced.draft;
  // Their responses were lost, so the server may have any of them.
  let uncertain: readonly (string | undefined)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let isQueued = false;
  let checkedAt: string | undefined;

  const target = () => ({ params: { slug: sender.slug }, query: { workspace_id: workspaceId } });
  const isUnsent = () => !api.ended.aborted && (uncertain.length > 0 || !isSame(wanted, synced.draft));

  function agreeOn(server: ServerDraft): void {
    latest = server;
    synced = server;
    uncertain = [];
    if (api.ended.aborted) return;
    if (server.draft === undefined) removeItem(item);
    else storeItem(item, JSON.stringify(server));
  }

  function exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = queue.then(task);
    queue = result.catch(() => undefined);
    return result;
  }

  async function fetchLatest(signal?: AbortSignal): Promise<void> {
    try {
      const { content, headers } = await api.call('GET /presets/:slug/draft', target(), { signal });
      latest = { draft: content.data, etag: headers.get('etag') ?? undefined };
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      latest = none;
    }
  }

  async function send(draft: DraftBody | undefined): Promise<void> {
    const { etag } = synced;
    if (draft === undefined) {
      if (etag === undefined && uncertain.length > 0) await fetchLatest();
      const ours = etag ?? (uncertain.includes(latest.draft?.text) ? latest.etag : undefined);
      if (ours !== undefined)
        await api.call('DELETE /presets/:slug/draft', { ...target(), headers: { 'if-match': ours } });
      return agreeOn(none);
    }
    const headers = etag === undefined ? { 'if-none-match': '*' as const } : { 'if-match': etag };
    const response = await api.call('PUT /presets/:slug/draft', { ...target(), headers, body: draft });
    agreeOn({ draft, etag: response.headers.get('etag') ?? undefined });
  }

  /** A response that was lost looks like a change by another tab: the server has our own text. */
  async function stateAfter(error: unknown, attempted: DraftBody | undefined): Promise<DraftState> {
    if (isStatus(error, 412) || (isStatus(error, 404) && attempted === undefined)) {
      const isRead = await fetchLatest().then(
        () => true,
        () => false,
      );
      if (!isRead) return offline;
      const text = latest.draft?.text;
      if (text !== attempted?.text && !uncertain.includes(text))
        return { kind: 'conflict', other: latest.draft };
      agreeOn(latest);
      return saved;
    }
    if (error instanceof ApiError && !isTemporary(error))
      return { kind: 'failed', message: messageOf(error) };
    uncertain = [...uncertain, attempted?.text].slice(-uncertainMax);
    return offline;
  }

  /** Sends the newest draft, which may be newer than the one that `attempt` was queued for. */
  async function attempt(): Promise<void> {
    isQueued = false;
    if (!isUnsent() || state.get().kind === 'conflict') return;
    const draft = wanted;
    const after = await send(draft).then(
      () => saved,
      (error: unknown) => stateAfter(error, draft),
    );
    if (after.kind === 'offline') schedule(retryMs);
    else if (after.kind === 'saved' && isUnsent()) schedule(pauseMs);
    state.set(after.kind === 'saved' && isUnsent() ? saving : after);
  }

  function flush(): void {
    clearTimeout(timer);
    if (isQueued || !isUnsent()) return;
    isQueued = true;
    void exclusively(attempt);
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(flush, ms);
  }

  /** An outage lasts until the server answers, and a conflict until the user has chosen. */
  function update(): void {
    const { kind } = state.get();
    if (kind === 'conflict') {
      if (!isSame(wanted, latest.draft)) return;
      agreeOn(latest);
    }
    // The tab has forgotten a discarded draft: a reload would bring it back from the server.
    if (isUnsent()) schedule(wanted === undefined ? 0 : pauseMs);
    if (kind !== 'offline' || !isUnsent()) state.set(isUnsent() ? saving : saved);
  }

  const sender: DraftSender = {
    ...{ name, slug: '', state, isUnsent, flush },
    want(draft) {
      wanted = draft;
      update();
    },
    hasReceived: (text) => synced.draft?.text === text,
    open: async (signal, isOnServer) => {
      if (isUnsent()) return wanted;
      return exclusively(async () => {
        if ((await isOnServer?.()) === false) latest = none;
        else await fetchLatest(signal);
        // Something may have been restored meanwhile.
        if (isUnsent()) return wanted;
        agreeOn(latest);
        wanted = latest.draft;
        return wanted;
      });
    },
    check: (changedAt, isOnServer = true) =>
      exclusively(async () => {
        const { kind } = state.get();
        // During a conflict nothing is sent, and the other tab may go on.
        const isWaiting = () =>
          state.get().kind === kind && (kind === 'conflict' || (kind === 'saved' && !isUnsent()));
        if (changedAt === checkedAt || !isWaiting()) return;
        if (!isOnServer && kind === 'saved' && wanted === undefined) return;
        const isRead = await fetchLatest().then(
          () => true,
          () => false,
        );
        if (!isRead || !isWaiting()) return;
        checkedAt = changedAt;
        if (!isSame(latest.draft, wanted)) return state.set({ kind: 'conflict', other: latest.draft });
        agreeOn(latest);
        state.set(saved);
      }),
    replaceOther() {
      agreeOn(latest);
      state.set(saved);
      update();
    },
    forget() {
      agreeOn(none);
      wanted = undefined;
      state.set(saved);
    },
  };

  const { ended: signal } = api;
  addEventListener('online', () => state.get().kind === 'offline' && flush(), { signal });
  // The tab's own copy ends with the tab, so let the browser ask first.
  addEventListener('beforeunload', (event) => isUnsent() && event.preventDefault(), { signal });
  return sender;
}

function isSame(one: DraftBody | undefined, other: DraftBody | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  // A draft that was saved by other clients may leave its dialect open.
  const isSameDialect = one.dialect === other.dialect || one.dialect === null || other.dialect === null;
  return isSameDialect && one.text === other.text && one.base_version === other.base_version;
}

/** Only senders write these items. */
function readSynced(item: `${typeof draftPrefix}${string}`): ServerDraft {
  const text = readItem(item);
  return text === undefined ? none : (JSON.parse(text) as ServerDraft);
}
