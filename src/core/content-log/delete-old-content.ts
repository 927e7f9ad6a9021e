import { firstIdAt } from '../ledger/call-record.ts';
import type { ContentRetention, ContentStore } from './content-storage.ts';

/** Keeps each transaction short: contents are large. */
const contentsPerWrite = 50;

/** In an interval. */
const writesMax = 1_000;

const dayMs = 86_400_000;

/**
 * Deletes content that is older than the retention of its workspace or than the records of calls,
 * and all of workspaces that were deleted.
 */
export async function deleteOldContent(
  contents: Pick<ContentStore, 'retentions' | 'deleteBefore'>,
  recordRetentionDays: number,
  now: number,
): Promise<void> {
  let writes = 0;
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    const retentions: readonly ContentRetention[] = await contents.retentions(after, workspacesPerRead);
    for (const { workspaceId, settings, isDeleted } of retentions) {
      const days = isDeleted ? 0 : Math.min(settings.retentionDays, recordRetentionDays);
      const before = firstIdAt(now - days * dayMs);
      for (; writes < writesMax; writes += 1)
        if ((await contents.deleteBefore(workspaceId, before, contentsPerWrite)) < contentsPerWrite) break;
    }
    after = retentions.length < workspacesPerRead ? undefined : retentions.at(-1)?.workspaceId;
  }
}

const workspacesPerRead = 100;

/** Less than any id. */
const nilUuid = '00000000-0000-0000-0000-000000000000';
