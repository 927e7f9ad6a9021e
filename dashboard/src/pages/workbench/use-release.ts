import { useQueryClient } from '@tanstack/react-query';
import { invalidatePresets } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { moveLabel, patchPreset } from '../preset/preset-action.ts';
import { type MovedLabels, moveLabels } from './move-labels.ts';
import type { Release } from './recent-release.ts';

/** Changes around a save that are requests of their own: labels that move along, and undoing it. */
export function useRelease(slug: string) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  const target = { params: { slug }, query: { workspace_id: workspaceId } };

  const move = (labels: readonly string[], version: number, start: string): Promise<MovedLabels> =>
    moveLabels(labels, start, async (label, etag) => {
      const input = { ...target, headers: { 'if-match': etag } };
      const { headers } = await moveLabel(label, undefined, version).change(api, input);
      return headers.get('etag') ?? '';
    });

  return {
    /** Moves labels to a version that was just saved, unless the preset has changed since. */
    move,
    /**
     * Makes the earlier version live again. Throws status 412 if somebody has changed the preset
     * since; returns why labels could not move back.
     */
    async undo({ liveBefore, labels, etag }: Release): Promise<string | undefined> {
      if (liveBefore === undefined) return;
      const input = { ...target, headers: { 'if-match': etag } };
      const { headers } = await patchPreset({ designated_version: liveBefore })(api, input);
      const { problem } = await move(labels, liveBefore, headers.get('etag') ?? '');
      await invalidatePresets(queryClient, workspaceId);
      return problem;
    },
  };
}
