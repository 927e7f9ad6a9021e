import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { callsWithReadableContent } from '../ledger/call-access.ts';
import { formatGenerationId } from '../ledger/call-record.ts';
import type { LedgerStore, StoredCall } from '../ledger/ledger-storage.ts';
import { readCall } from '../ledger/read-calls.ts';
import { actorFrom } from '../organization/actor.ts';
import type { Caller } from '../organization/caller.ts';
import { organizationEvent } from '../organization/organization-event.ts';
import type { CallContent } from './call-content.ts';
import type { ContentStore } from './content-storage.ts';

export interface ContentStores {
  readonly ledger: Pick<LedgerStore, 'find' | 'findByUpstreamId'>;
  readonly contents: Pick<ContentStore, 'read'>;
}

export interface ReadContent {
  readonly call: StoredCall;
  readonly content: CallContent;
}

/**
 * Reads the content of a call, given the ids that `readCall` takes, and stores an event that says
 * so: nobody reads without leaving one. Throws `not_found` if there is no such call in a workspace
 * that the caller administers, or if its content is not stored.
 */
export async function readContent(
  { ledger, contents }: ContentStores,
  clock: Clock,
  caller: Caller,
  id: string,
  otherIds: readonly string[],
): Promise<ReadContent> {
  const call = await readCall(ledger, caller, id, otherIds, callsWithReadableContent(caller));
  const actor = actorFrom(caller, clock, callsWithReadableContent);
  const generationId = formatGenerationId(call.id);
  const json = await contents.read(call.group, call.id, actor, clock(), (workspace) =>
    organizationEvent(
      'workspace.content_read',
      workspace.id,
      { id: workspace.id, name: workspace.slug },
      null,
      { generation_id: generationId },
    ),
  );
  if (json === undefined)
    throw new PresetdError(
      'not_found',
      `The content of the generation ${generationId} is not stored. Its workspace may not log it, it may be too old or not stored yet, or the request had "store": false.`,
    );
  return { call, content: JSON.parse(json) };
}
