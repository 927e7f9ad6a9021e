import { yieldToEventLoop } from '../core/cooperative-scheduler.ts';
import { type CallGroup, groupTypes } from '../core/ledger/call-group.ts';
import { arrivalOf, firstIdAt } from '../core/ledger/call-record.ts';
import type { CallPage, CallScope, Feedback, FoundCalls, StoredCall } from '../core/ledger/ledger-storage.ts';
import { areCounted } from '../core/ledger/usage-catalog.ts';
import { hourMs } from '../core/ledger/usage-periods.ts';
import type { Query } from './database.ts';
import { type Columns, fields, flag, json, selectUnnamed } from './select.ts';
import { type Sql, statement } from './statement.ts';
import { upstreamKeysOf } from './upstream-key.ts';
import { conditionsOf, Parameters, storedHours } from './usage-reports.ts';

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
  ...fields('c', 'firstTokenMs', 'totalMs', 'presetdMs', 'sessionId', 'endUser', 'appTitle', 'referer'),
  isEstimated: flag('c.is_estimated'),
  isStreamed: flag('c.is_streamed'),
  fallbacks: json<readonly string[]>(`coalesce(c.fallbacks, '[]')`),
  ...costColumns,
  group: fields('g', ...(Object.keys(groupTypes) as (keyof CallGroup)[])),
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
  const stored = await storedHours(query);
  if (stored === undefined) return undefined;
  // A single call of a server whose clock is wrong must not make the list of hours long.
  const end = Math.min(stored.end, Math.ceil((Date.now() + clockSkewMaxMs) / hourMs));
  const hours = Array.from({ length: Math.max(0, end - stored.start) }, (_, index) => stored.start + index);
  const keys = upstreamKeysOf(upstreamId, hours);
  const [call] = await selectCalls(query, (sql, parameters) => {
    const key = sql.isIn('c.upstream_key', parameters.add(keys), 'bigint');
    const exact = `c.upstream_id = ${parameters.add(upstreamId)}`;
    const conditions = [key, exact, ...conditionsOf(sql, parameters, scope, [])];
    return `${callsAndGroups} WHERE ${conditions.join(' AND ')} ORDER BY c.id DESC LIMIT 1`;
  });
  return call;
}

const clockSkewMaxMs = 86_400_000;

/**
 * Lists calls, newest first, in slices that take few milliseconds: SQLite works in the thread that serves
 * requests. Most pages are in the first slice. Behind it, an index finds calls by their group, so that the
 * cost depends on the number of groups and not on that of the calls. For any other filter, slice after
 * slice is searched, up to `searchMax` calls.
 */
export async function listCalls(query: Query, scope: CallScope, page: CallPage): Promise<FoundCalls> {
  const calls: StoredCall[] = [];
  let rest = page;
  for (let searched = callsPerSlice; ; searched += callsPerSlice) {
    const slice = await sliceOf(query, rest);
    calls.push(...(await listSlice(query, scope, slice ?? rest)));
    if (slice === undefined || calls.length === page.limit) return { calls, searchedTo: null };
    rest = { ...page, beforeId: slice.fromId, limit: page.limit - calls.length };
    if (areCounted(page.filters.map(({ dimension }) => dimension)))
      return { calls: [...calls, ...(await listByGroup(query, scope, rest))], searchedTo: null };
    if (searched >= page.searchMax) return { calls, searchedTo: rest.beforeId };
    await yieldToEventLoop();
  }
}

const callsPerSlice = 5_000;

/** The newest part of a page; undefined if that is the whole page. It starts with a full millisecond. */
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
    const range = rangeOf(parameters, slice);
    const conditions = conditionsOf(sql, parameters, scope, slice.filters);
    const groups = sql.joinOne('call_groups g', 'g.id = c.group_id');
    const matching = [range, ...conditions].join(' AND ');
    return `FROM calls c ${groups} WHERE ${matching} ${orderOf(parameters, slice)}`;
  });
}

/** Reads at most a page of each group that meets the conditions. */
function listByGroup(query: Query, scope: CallScope, page: CallPage): Promise<readonly StoredCall[]> {
  return selectCalls(query, (sql, parameters) => {
    const order = orderOf(parameters, page);
    const groups = conditionsOf(sql, parameters, scope, page.filters).join(' AND ');
    const newest = `FROM calls c WHERE c.group_id = g.id AND ${rangeOf(parameters, page)} ${order}`;
    return sql.engine === 'postgres'
      ? `FROM call_groups g CROSS JOIN LATERAL (SELECT * ${newest}) c WHERE ${groups} ${order}`
      : `FROM call_groups g CROSS JOIN calls c ON c.id IN (SELECT c.id ${newest}) WHERE ${groups} ${order}`;
  });
}

function rangeOf(
  parameters: Parameters,
  { fromId, beforeId }: Pick<CallPage, 'fromId' | 'beforeId'>,
): string {
  return `c.id >= ${parameters.add(fromId)} AND c.id < ${parameters.add(beforeId)}`;
}

function orderOf(parameters: Parameters, { limit }: CallPage): string {
  return `ORDER BY c.id DESC LIMIT ${parameters.add(limit)}`;
}

const callsAndGroups = 'FROM calls c JOIN call_groups g ON g.id = c.group_id';

function selectCalls(
  query: Query,
  write: (sql: Sql, parameters: Parameters) => string,
): Promise<readonly StoredCall[]> {
  let parameters = new Parameters();
  const statement = selectUnnamed(callColumns, (sql) => {
    parameters = new Parameters();
    return write(sql, parameters);
  });
  return query(statement, parameters.values);
}
