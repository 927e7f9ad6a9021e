import { yieldToEventLoop } from '../core/concurrency/cooperative-scheduler.ts';
import { type CallGroup, groupTypes } from '../core/ledger/call-group.ts';
import { arrivalOf, firstIdAt, hourOf } from '../core/ledger/call-record.ts';
import type { CallPage, CallScope, Feedback, FoundCalls, StoredCall } from '../core/ledger/ledger-storage.ts';
import { isCounted } from '../core/ledger/usage-catalog.ts';
import { hourMs } from '../core/ledger/usage-periods.ts';
import type { Query } from './database.ts';
import { buildSelect, type Columns, fields, flag, json } from './select.ts';
import { buildStatement, type Parameters, type Sql, statement } from './statement.ts';
import { hashes, upstreamKeysOf } from './upstream-key.ts';
import { conditionsOf } from './usage-reports.ts';

/** Expects the call as `c`. */
export const costColumns: Columns<Pick<StoredCall, 'tokens' | 'cost'>> = {
  tokens: {
    input: 'c.input_tokens',
    cached: 'c.cached_tokens',
    cacheWrite: 'c.cache_write_tokens',
    output: 'c.output_tokens',
    reasoning: 'c.reasoning_tokens',
  },
  cost: {
    nanos: 'c.cost_nanos',
    source: 'c.cost_source',
    price: json('(SELECT price FROM call_prices WHERE id = c.price_id)'),
  },
};

/** Expects the call as `c` and its group as `g`. */
const callColumns: Columns<StoredCall> = {
  ...fields('c', 'id', 'requestedModel', 'respondingModel', 'upstreamId', 'finishReason'),
  ...fields('c', 'requestedPreset', 'errorCode', 'errorMessage'),
  ...fields('c', 'firstTokenMs', 'totalMs', 'presetdMs', 'sessionId', 'endUser', 'appTitle', 'referer'),
  isEstimated: flag('c.is_estimated'),
  isStreamed: flag('c.is_streamed'),
  fallbacks: json<readonly string[]>(`coalesce(c.fallbacks, '[]')`),
  ...costColumns,
  group: fields('g', ...(Object.keys(groupTypes) as (keyof CallGroup)[])),
  workspaceSlug: '(SELECT slug FROM workspaces WHERE id = g.workspace_id)',
  currentSlug: 'coalesce((SELECT slug FROM presets WHERE id = g.preset_id), g.preset_slug)',
  keyLabel: '(SELECT label FROM api_keys WHERE id = g.key_id)',
  keyName: '(SELECT name FROM api_keys WHERE id = g.key_id)',
  userEmail: '(SELECT email FROM users WHERE id = g.user_id)',
  feedback: json<readonly Feedback[]>(({ arrayOf, object }) => {
    const each = object({ category: 'f.category', comment: 'f.comment' });
    return `(SELECT ${arrayOf(each, 'f.created_at, f.author_id')} FROM call_feedback f WHERE f.call_id = c.id)`;
  }),
};

/** Finds a call by its id; undefined if there is none in the scope. */
export async function findCall(query: Query, scope: CallScope, id: string): Promise<StoredCall | undefined> {
  const [call] = await selectCalls(query, (sql, parameters) => {
    const conditions = [`c.id = ${parameters.add(id)}`, ...conditionsOf(sql, parameters, scope, [])];
    return `${callsAndGroups} WHERE ${conditions.join(' AND ')}`;
  });
  return call;
}

/** Finds the latest call with an upstream's id; undefined if there is none in the scope. */
export async function findCallByUpstreamId(
  query: Query,
  scope: CallScope,
  upstreamId: string,
): Promise<StoredCall | undefined> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const slots = (await query(upstreamSlots, [before, slotsPerSearch])).map(({ slot }) => slot);
    const oldest = slots.at(-1);
    if (oldest === undefined) return undefined;
    const keys = upstreamKeysOf(upstreamId, slots);
    const [call] = await selectCalls(query, (sql, parameters) => {
      const key = sql.isIn('c.upstream_key', parameters.add(keys), 'bigint');
      const exact = `c.upstream_id = ${parameters.add(upstreamId)}`;
      const conditions = [key, exact, ...conditionsOf(sql, parameters, scope, [])];
      return `${callsAndGroups} WHERE ${conditions.join(' AND ')} ORDER BY c.id DESC LIMIT 1`;
    });
    if (call !== undefined) return call;
    before = oldest * hashes;
    await yieldToEventLoop();
  }
}

/** Takes some milliseconds. */
const slotsPerSearch = 1_000;

/** The used slots of upstream keys, the newest first: each is found behind the one before. */
const upstreamSlots = statement<{ readonly slot: number }>(
  'upstream-slots',
  `WITH RECURSIVE slots (slot) AS (
     SELECT max(upstream_key) / ${hashes} FROM calls WHERE upstream_key < $1
     UNION ALL
     SELECT (SELECT max(upstream_key) / ${hashes} FROM calls WHERE upstream_key < slots.slot * ${hashes})
     FROM slots WHERE slots.slot IS NOT NULL
   )
   SELECT slot FROM slots WHERE slot IS NOT NULL LIMIT $2`,
);

/**
 * Lists calls, newest first, in slices that take few milliseconds: SQLite works in the main thread.
 * Most pages are in the first slice. Behind it, hours without calls of any group that meets the
 * conditions are skipped: the sums say which. At most `searchMax` calls are searched for a page.
 */
export async function listCalls(query: Query, scope: CallScope, page: CallPage): Promise<FoundCalls> {
  const calls: StoredCall[] = [];
  let rest = page;
  for (let searched = callsPerSlice; ; searched += callsPerSlice) {
    const slice = await sliceOf(query, rest);
    calls.push(...(await listSlice(query, scope, slice ?? rest)));
    if (slice === undefined || calls.length === page.limit) return { calls, searchedTo: null };
    if (searched >= page.searchMax) return { calls, searchedTo: slice.fromId };
    const beforeId = await endOfNewestHour(query, scope, { ...page, beforeId: slice.fromId });
    if (beforeId === undefined) return { calls, searchedTo: null };
    rest = { ...page, beforeId, limit: page.limit - calls.length };
    await yieldToEventLoop();
  }
}

const callsPerSlice = 5_000;

/** The newest part of a page, from a full millisecond on; undefined if that is the whole page. */
async function sliceOf(query: Query, page: CallPage): Promise<CallPage | undefined> {
  const [behind] = await query(callBehind, [page.fromId, page.beforeId, callsPerSlice]);
  if (behind === undefined) return undefined;
  // The id of that call would tell the client of a call that may belong to somebody else.
  const fromId = firstIdAt(arrivalOf(behind.id));
  return fromId > page.fromId ? { ...page, fromId } : undefined;
}

const callBehind = statement<{ readonly id: string }>(
  'call-behind',
  'SELECT id FROM calls WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET $3',
);

function listSlice(query: Query, scope: CallScope, slice: CallPage): Promise<readonly StoredCall[]> {
  return selectCalls(query, (sql, parameters) => {
    const range = `c.id >= ${parameters.add(slice.fromId)} AND c.id < ${parameters.add(slice.beforeId)}`;
    const conditions = [range, ...conditionsOf(sql, parameters, scope, slice.filters)];
    return `FROM calls c ${sql.joinOne('call_groups g', 'g.id = c.group_id')}
      WHERE ${conditions.join(' AND ')} ORDER BY c.id DESC LIMIT ${parameters.add(slice.limit)}`;
  });
}

/** The id at the end of the newest hour that may have calls of a page; undefined if none has. */
async function endOfNewestHour(
  query: Query,
  scope: CallScope,
  { filters, fromId, beforeId }: CallPage,
): Promise<string | undefined> {
  const counted = filters.filter(({ dimension }) => isCounted(dimension));
  const newest = buildStatement<{ readonly start: number | null }>(query.engine, (sql, parameters) => {
    const [first, last] = [parameters.add(hourOf(fromId)), parameters.add(hourOf(beforeId))];
    const ofGroup = `SELECT max(t.start) FROM call_totals t
      WHERE t.resolution = 1 AND t.group_id = g.id AND t.start BETWEEN ${first} AND ${last}`;
    return `SELECT max((${ofGroup})) AS start FROM call_groups g
      WHERE ${conditionsOf(sql, parameters, scope, counted).join(' AND ')}`;
  });
  const [found] = await query(...newest);
  if (found === undefined || found.start === null) return undefined;
  const end = firstIdAt((found.start + 1) * hourMs);
  return end < beforeId ? end : beforeId;
}

const callsAndGroups = 'FROM calls c JOIN call_groups g ON g.id = c.group_id';

function selectCalls(
  query: Query,
  write: (sql: Sql, parameters: Parameters) => string,
): Promise<readonly StoredCall[]> {
  return query(...buildSelect(query.engine, callColumns, write));
}
