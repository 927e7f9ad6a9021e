/** A person's draft of a preset: on the server, in the tab, and those of others. */

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PresetDraftSummary } from '../../../../src/api/drafts.ts';
import { type Session, useSession } from '../../api/session.ts';
import { useStore } from '../../components/store.ts';
import { type DraftBody, type DraftSender, type DraftState, draftSenderOf } from './draft-sender.ts';
import { baseVersionOf, type Draft, draftName, loadDraft, renameDraft, saveDraft } from './drafts.ts';

interface PresetNames {
  readonly id: string;
  readonly slug: string;
}

/** By the id of the preset: a preset that is renamed keeps its sender. */
export function draftSender({ api, workspaceId, account }: Session, preset: PresetNames): DraftSender {
  return draftSenderOf(api, workspaceId, `${account.id}/${preset.id}`, preset.slug);
}

/**
 * The newest draft, read whenever the workbench opens, which `opening` counts. It also opens anew
 * when the preset is renamed. People who cannot write have none on the server.
 */
export function useNewestDraft(preset: PresetNames, opening: number) {
  const session = useSession();
  return useQuery({
    queryKey: ['draft', draftName(session, preset.id), preset.slug, opening],
    enabled: session.may('write'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => ({ draft: await newestDraft(session, preset, signal) }),
  });
}

async function newestDraft(
  session: Session,
  preset: PresetNames,
  signal: AbortSignal,
): Promise<Draft | undefined> {
  const sender = draftSender(session, preset);
  const local = localDraft(session, preset);
  // Typed before a reload and not sent yet, or handed over by another page.
  if (local !== undefined && !sender.isUnsent() && !sender.hasReceived(local.text)) return local;
  const draft = await sender.open(signal, () => mayHaveDraft(session, preset.slug, signal));
  if (draft === undefined) return undefined;
  const { text, dialect, base_version: from } = draft;
  // Notes are kept in the tab only.
  const note = local?.text === text ? local.note : undefined;
  return { text, slug: preset.slug, from, note, dialect: dialect ?? undefined };
}

/** Whether the person may have a draft on the server: the list of drafts ends after a page. */
async function mayHaveDraft(session: Session, slug: string, signal: AbortSignal): Promise<boolean> {
  const drafts = await fetchDrafts(session, slug, signal);
  return drafts.length === draftsMax || drafts.some(({ user_id: user }) => user === session.account.id);
}

/** The draft that this tab has; undefined for none. */
export function localDraft(session: Session, { id, slug }: PresetNames): Draft | undefined {
  const name = draftName(session, id);
  // presetd 0.6 named drafts by slug.
  renameDraft(draftName(session, slug), name);
  const draft = loadDraft(name);
  return draft && { ...draft, slug, from: baseVersionOf(draft) };
}

/** Others who have a draft of the preset, the most recent first. */
export function useOtherDrafts(slug: string): readonly PresetDraftSummary[] {
  const { account } = useSession();
  const { data = [] } = useDrafts(slug);
  return data.filter(({ user_id: user }) => user !== account.id);
}

function useDrafts(slug: string) {
  const session = useSession();
  return useQuery({
    queryKey: ['drafts', session.workspaceId, slug],
    refetchInterval: 15_000,
    queryFn: ({ signal }) => fetchDrafts(session, slug, signal),
  });
}

const draftsMax = 20;

async function fetchDrafts({ api, workspaceId }: Session, slug: string, signal: AbortSignal) {
  const input = { params: { slug }, query: { workspace_id: workspaceId, limit: draftsMax } };
  return (await api.call('GET /presets/:slug/drafts', input, { signal })).content.data;
}

/** Notices that another tab has replaced or discarded the draft, even while this one is idle. */
function useChangesElsewhere(sender: DraftSender): void {
  const { account } = useSession();
  const { data, dataUpdatedAt } = useDrafts(sender.slug);
  const own = data?.find(({ user_id: user }) => user === account.id);
  const changedAt = data && (own?.updated_at ?? 'no draft');
  const isOnServer = own !== undefined || data?.length === draftsMax;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each poll repeats a check that has failed
  useEffect(() => {
    if (changedAt !== undefined) void sender.check(changedAt, isOnServer);
  }, [sender, changedAt, dataUpdatedAt]);
}

/**
 * Hands a text to the workbench of a preset, as the draft of this tab. If the server has another,
 * the workbench lets the user choose. Returns false, and changes nothing, if the tab has a draft
 * that the server has not received.
 */
export function handOverDraft(sender: DraftSender, name: string, draft: Draft): boolean {
  const before = loadDraft(name);
  if (sender.isUnsent() || (before !== undefined && !sender.hasReceived(before.text))) return false;
  sender.forget();
  saveDraft(name, draft);
  return true;
}

/** Keeps the server's copy up to date with the text on screen; undefined for no draft. */
export function useServerDraft(sender: DraftSender, draft: DraftBody | undefined): DraftState {
  const { may } = useSession();
  // Also while the preset is archived: the server then accepts drafts, so nothing typed is lost.
  const canSend = may('write');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the object is new for each render
  useEffect(() => {
    if (canSend) sender.want(draft);
  }, [sender, canSend, draft?.text, draft?.dialect, draft?.base_version]);
  useEffect(() => () => sender.flush(), [sender]);
  useChangesElsewhere(sender);
  return useStore(sender.state, (state) => state);
}
