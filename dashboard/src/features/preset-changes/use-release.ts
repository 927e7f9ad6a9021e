import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Api } from '../../api/api.ts';
import { isStatus } from '../../api/api-error.ts';
import { fetchPreset, invalidatePresets, type PresetSnapshot } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { useStore } from '../../components/store.ts';
import { useToast } from '../../components/toasts.tsx';
import { type LabelMove, type MovedLabels, moveLabels, reasonOf } from './move-labels.ts';
import { moveLabel, patchPreset } from './preset-action.ts';
import { type Offer, type Release, releases } from './undo-offers.ts';

/**
 * Changes around a release that are requests of their own: labels that move along, and undoing it.
 * The snapshot is the preset on screen.
 */
export function useRelease({ preset }: PresetSnapshot) {
  const { id, slug } = preset;
  const session = useSession();
  const { api, workspaceId } = session;
  const queryClient = useQueryClient();
  const showToast = useToast();
  const [isUndoing, setIsUndoing] = useState(false);
  const last = useStore(releases.of(session), (all) => all.get(id)?.[0]);
  return {
    /** `etag` is that of the change before: labels do not move if the preset has changed since. */
    move: (moves: readonly LabelMove[], etag: string) => moveAll(api, workspaceId, slug, moves, etag),
    /** The last release, as long as it can be undone. */
    recent: last && canUndo(last, preset.designated_version.version) ? last : undefined,
    offerUndo: (release: Release) => releases.offer(session, id, release),
    isUndoing,
    /**
     * Makes the earlier version live again, and says in a toast what came of it. `restoreDraft`
     * puts the draft back that was saved; it returns false if there is a newer one.
     */
    async undo(release: Offer<Release>, restoreDraft?: () => Promise<boolean>): Promise<void> {
      setIsUndoing(true);
      try {
        const problem = await revertRelease(api, workspaceId, slug, release);
        await invalidatePresets(queryClient, workspaceId);
        const isRestored = await restoreDraft?.().catch(() => false);
        releases.withdraw(session, id, release);
        const message = describeUndo(release, isRestored ?? false);
        showToast(problem === undefined ? message : `${message}. ${problem}`);
      } catch (error) {
        showToast(`Could not undo: ${reasonOf(error)}`);
        // Somebody has changed what the page shows.
        await invalidatePresets(queryClient, workspaceId);
      } finally {
        setIsUndoing(false);
      }
    },
  };
}

/** A colleague may have made another version live since, or the one that was only saved. */
export function canUndo({ version, liveBefore }: Release, live: number): boolean {
  return (liveBefore !== undefined) === (version === live);
}

function describeUndo({ version, liveBefore }: Release, isRestored: boolean): string {
  if (liveBefore !== undefined) return `Version ${liveBefore} is live again`;
  return isRestored ? `Version ${version} is your draft again` : 'Your newer draft was kept';
}

/**
 * Makes the earlier version live again, and moves the labels back that are still on the released
 * one. Returns why labels could not move back. Throws if another version is live by now. Other
 * changes of the preset since, such as a test case or a tag, do not matter.
 */
export async function revertRelease(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  { version, liveBefore, labels }: Pick<Release, 'version' | 'liveBefore' | 'labels'>,
): Promise<string | undefined> {
  if (liveBefore === undefined) return;
  const etag = await replaceLive(api, workspaceId, slug, version, liveBefore);
  const moves = labels.map(({ label, from, to }) => ({ label, from: to, to: from }));
  return (await moveAll(api, workspaceId, slug, moves, etag)).problem;
}

/** Another worker process may serve the previous state from its cache for up to a second. */
const readsMax = 4;
const readIntervalMs = 500;

/** Returns the ETag after the change. */
async function replaceLive(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  from: number,
  to: number,
): Promise<string> {
  for (let reads = 1; ; reads += 1) {
    const { preset, etag } = await fetchPreset(api, workspaceId, slug);
    const live = preset.designated_version.version;
    try {
      if (live !== from) throw new Error(`version ${live} is live now`);
      const target = {
        params: { slug },
        query: { workspace_id: workspaceId },
        headers: { 'if-match': etag },
      };
      const { headers } = await patchPreset({ designated_version: to })(api, target);
      return headers.get('etag') ?? '';
    } catch (error) {
      const mayBeOutdated = live !== from || isStatus(error, 412);
      if (!mayBeOutdated || reads === readsMax) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, readIntervalMs));
  }
}

function moveAll(
  api: Api,
  workspaceId: string | undefined,
  slug: string,
  moves: readonly LabelMove[],
  start: string,
): Promise<MovedLabels> {
  const target = { params: { slug }, query: { workspace_id: workspaceId } };
  return moveLabels(moves, start, {
    read: async () => (await api.call('GET /presets/:slug/labels', target)).content.data,
    async move({ label, from, to }, etag) {
      const input = { ...target, headers: { 'if-match': etag } };
      const { headers } = await moveLabel(label, from, to).change(api, input);
      return headers.get('etag') ?? '';
    },
  });
}
