import { PresetdError } from '../errors.ts';
import type { Caller } from '../organization/caller.ts';
import { invalidField, isStorableText } from '../request-issues.ts';
import { readableCalls, type UsageStores, visibleCalls } from './call-access.ts';
import { firstIdAt, parseGenerationId } from './call-record.ts';
import type { CallScope, LedgerStore, StoredCall, UsageFilter } from './ledger-storage.ts';
import { parseFilters, type UsageFilterInput } from './usage-filters.ts';

interface CallQuery {
  readonly workspaceId: string | undefined;
  readonly filters: readonly UsageFilterInput[];
  /** In milliseconds since 1970. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

interface CallList {
  /** Fewer than the limit, or none, if the search for rare ones has to be continued. */
  readonly calls: readonly StoredCall[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Finds a call by its own id, or by one that the upstream gave the response, of which there may be
 * several forms. Throws `not_found` if there is none.
 */
export async function readCall(
  ledger: Pick<LedgerStore, 'find' | 'findByUpstreamId'>,
  caller: Caller,
  id: string,
  otherIds: readonly string[] = [],
  scope: CallScope = visibleCalls(caller),
): Promise<StoredCall> {
  const own = parseGenerationId(id);
  const found = own === undefined ? undefined : await ledger.find(scope, own);
  if (found !== undefined) return found;
  const upstreamIds = own === undefined ? [id, ...otherIds].filter(isStorableText) : [];
  for (const upstreamId of upstreamIds) {
    const call = await ledger.findByUpstreamId(scope, upstreamId);
    if (call !== undefined) return call;
  }
  throw new PresetdError(
    'not_found',
    `There is no call ${JSON.stringify(id.slice(0, 100))} that you can access. It may be too old, or not stored yet: try again in a second.`,
  );
}

/** Lists calls, newest first. */
export async function listCalls(
  { ledger, workspaces }: UsageStores,
  caller: Caller,
  { workspaceId, filters, since = 0, until = latestMs, cursor, limit }: CallQuery,
): Promise<CallList> {
  const scope = await readableCalls(workspaces, caller, workspaceId);
  const parsed: readonly UsageFilter[] = (await parseFilters(ledger, scope, filters)).filters;
  const before = firstIdAt(until);
  const after = cursor === undefined ? undefined : parseGenerationId(cursor);
  if (cursor !== undefined && after === undefined)
    throw invalidField('/cursor', 'must be the next_cursor of a page');
  // One extra call shows whether there is another page.
  const found = await ledger.list(scope, {
    filters: parsed,
    fromId: firstIdAt(since),
    beforeId: after !== undefined && after < before ? after : before,
    limit: limit + 1,
    searchMax,
  });
  const calls = found.calls.slice(0, limit);
  const last = found.calls.length > limit ? calls.at(-1)?.id : undefined;
  return { calls, nextCursor: last ?? found.searchedTo };
}

/** Takes about 0.1 s. A page of rare calls may have to be continued before it is full. */
const searchMax = 100_000;

/** The last time that an id can have. */
const latestMs = 2 ** 48 - 1;
