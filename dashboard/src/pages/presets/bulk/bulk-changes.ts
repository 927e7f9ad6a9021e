import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { tagsMax } from '../../../../../src/core/presets/tag.ts';
import type { Api } from '../../../api/api.ts';
import { isStatus } from '../../../api/api-error.ts';

/** Where the changes go. */
export interface BulkTarget {
  readonly api: Api;
  readonly workspaceId: string | undefined;
}

interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Whether a preset was changed, and so has something to undo. */
export type Changed = boolean;

/**
 * Adds and removes tags. Reads the tags first, because those in the list may be outdated, and sends
 * their ETag, so that a change made in between is not lost.
 */
export async function changeTags(
  target: BulkTarget,
  { slug }: PresetSummary,
  change: TagChange,
): Promise<Changed> {
  const input = { params: { slug }, query: { workspace_id: target.workspaceId } };
  return retryConflict(async () => {
    const { content, headers } = await target.api.call('GET /presets/:slug/tags', input);
    const tags = tagsAfter(content.data, change);
    if (tags.join() === content.data.join()) return false;
    if (tags.length > tagsMax) throw new Error(`A preset can have at most ${tagsMax} tags.`);
    await target.api.call('PATCH /presets/:slug', {
      ...input,
      body: { tags: [...tags] },
      headers: { 'if-match': headers.get('etag') ?? '*' },
    });
    return true;
  });
}

/** Sorted, as the server returns them. */
export function tagsAfter(tags: readonly string[], { add, remove }: TagChange): readonly string[] {
  return [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag)).toSorted();
}

/** The inverse of the change for this preset: only tags that it really adds or removes. */
export function undoOf({ tags }: PresetSummary, { add, remove }: TagChange): TagChange {
  return {
    add: remove.filter((tag) => tags.includes(tag)),
    remove: add.filter((tag) => !tags.includes(tag)),
  };
}

/** Fails for a preset that has changed since the list was loaded: the user decided on that. */
export async function archivePreset(target: BulkTarget, preset: PresetSummary): Promise<Changed> {
  const input = { params: { slug: preset.slug }, query: { workspace_id: target.workspaceId } };
  const { content, headers } = await target.api.call('GET /presets/:slug', input);
  if (content.data.status === 'archived') return false;
  if (content.data.updated_at !== preset.updated_at)
    throw new Error('Somebody has changed it since this list was loaded.');
  await target.api.call('DELETE /presets/:slug', {
    ...input,
    headers: { 'if-match': headers.get('etag') ?? '*' },
  });
  return true;
}

export async function restorePreset(target: BulkTarget, { slug }: PresetSummary): Promise<Changed> {
  await target.api.call('POST /presets/:slug/restore', {
    params: { slug },
    query: { workspace_id: target.workspaceId },
  });
  return true;
}

/** Retries once if someone else changed the preset first. */
async function retryConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isStatus(error, 412)) throw error;
    return work();
  }
}
