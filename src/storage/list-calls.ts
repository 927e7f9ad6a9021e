import { hourOf } from '../core/ledger/call-record.ts';
import type { CallPage, CallScope, Feedback, StoredCall } from '../core/ledger/ledger-storage.ts';
import { usageDimensions } from '../core/ledger/usage-catalog.ts';
import type { Query } from './database.ts';
import { type Columns, fields, flag, json, selectUnnamed } from './select.ts';
import { type Sql, statement } from './statement.ts';
import { upstreamKeyOf } from './upstream-key.ts';
import { conditionsOf, filterConditions, Parameters } from './usage-reports.ts';

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
  group: {
    ...fields('g', 'organizationId', 'workspaceId', 'keyId', 'userId', 'presetId', 'presetSlug', 'version'),
    ...fields('g', 'selection', 'label', 'model', 'upstream', 'dialect', 'status', 'purpose'),
  },
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
  const [first] = await query(firstCall);
  const [last] = await query(lastCall);
  if (first === undefined || last === undefined) return undefined;
  const start = hourOf(first.id);
  const hours = Array.from({ length: hourOf(last.id) - start + 1 }, (_, index) => start + index);
  const keys = hours.map((hour) => upstreamKeyOf(upstreamId, hour));
  const [call] = await selectCalls(query, (sql, parameters) => {
    const key = sql.isIn('c.upstream_key', parameters.add(keys), 'bigint');
    const exact = `c.upstream_id = ${parameters.add(upstreamId)}`;
    const conditions = [key, exact, ...conditionsOf(sql, parameters, scope, [])];
    return `${callsAndGroups} WHERE ${conditions.join(' AND ')} ORDER BY c.id DESC LIMIT 1`;
  });
  return call;
}

const firstCall = statement<{ readonly id: string }>(
  'oldest-stored-call',
  'SELECT id FROM calls ORDER BY id LIMIT 1',
);
const lastCall = statement<{ readonly id: string }>(
  'newest-stored-call',
  'SELECT id FROM calls ORDER BY id DESC LIMIT 1',
);

/**
 * Lists calls, newest first. Most pages are among the last rows of the table. For what is rare, at most
 * a page is read of each group that meets the conditions, so that the cost depends on the number of
 * groups and not on that of the calls.
 */
export async function listCalls(
  query: Query,
  scope: CallScope,
  page: CallPage,
): Promise<readonly StoredCall[]> {
  const [oldest] = await query(callBehind, [page.fromId, page.beforeId, newestMax]);
  const fromId = oldest?.id ?? page.fromId;
  const newest = await selectCalls(query, (sql, parameters) => {
    const range = rangeOf(parameters, { ...page, fromId });
    const conditions = conditionsOf(sql, parameters, scope, page.filters);
    const groups = sql.joinOne('call_groups g', 'g.id = c.group_id');
    const matching = [range, ...conditions].join(' AND ');
    return `FROM calls c ${groups} WHERE ${matching} ${orderOf(parameters, page)}`;
  });
  return oldest === undefined || newest.length === page.limit ? newest : listByGroup(query, scope, page);
}

/** How many calls are searched before their groups are. */
const newestMax = 10_000;

const callBehind = statement<{ readonly id: string }>(
  'call-behind',
  'SELECT id FROM calls WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET $3',
);

function listByGroup(query: Query, scope: CallScope, page: CallPage): Promise<readonly StoredCall[]> {
  return selectCalls(query, (sql, parameters) => {
    const order = orderOf(parameters, page);
    const ofGroup = page.filters.filter(({ dimension }) => usageDimensions[dimension].isCounted);
    const ofCall = page.filters.filter(({ dimension }) => !usageDimensions[dimension].isCounted);
    const groups = conditionsOf(sql, parameters, scope, ofGroup).join(' AND ');
    const calls = [
      'c.group_id = g.id',
      rangeOf(parameters, page),
      ...filterConditions(sql, parameters, ofCall),
    ];
    const newest = `FROM calls c WHERE ${calls.join(' AND ')} ${order}`;
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
