import { useQueryClient } from '@tanstack/react-query';
import { fetchPreset, invalidatePresets } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { messageOf } from '../../components/notice.tsx';
import { moveLabel, patchPreset } from '../preset/preset-action.ts';
import type { Release } from './recent-release.ts';

/** Changes around a save that are requests of their own: labels that move along, and undoing it. */
export function useRelease(slug: string) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  const target = { params: { slug }, query: { workspace_id: workspaceId } };

  /** Moves labels one after the other, since each changes the ETag. Returns the new one. */
  async function moveLabels(labels: readonly string[], version: number, etag?: string) {
    let current = etag;
    for (const label of labels) {
      const headers = current === undefined ? {} : { headers: { 'if-match': current } };
      const { headers: response } = await moveLabel(label, undefined, version).change(api, {
        ...target,
        ...headers,
      });
      current = current === undefined ? undefined : (response.get('etag') ?? undefined);
    }
  }

  return {
    /**
     * Moves the labels that the user chose. The version is saved already, so a failure is reported
     * and not thrown.
     */
    async finish(version: number, labels: readonly string[]) {
      const problem = await moveLabels(labels, version).then(
        () => undefined,
        (error: unknown) => `Could not move ${labels.join(', ')}: ${messageOf(error)}`,
      );
      return { snapshot: await fetchPreset(api, workspaceId, slug), problem };
    },
    /** Throws status 412 if somebody has changed the preset since. */
    async undo({ liveBefore, labels, etag }: Release): Promise<void> {
      if (liveBefore !== undefined) {
        const { headers } = await patchPreset({ designated_version: liveBefore })(api, {
          ...target,
          headers: { 'if-match': etag },
        });
        await moveLabels(labels, liveBefore, headers.get('etag') ?? undefined);
      }
      await invalidatePresets(queryClient, workspaceId);
    },
  };
}
