import { hash } from 'node:crypto';
import { type CallGroup, groupTypes } from '../core/ledger/call-group.ts';
import type { CallRecord, Cost } from '../core/ledger/call-record.ts';
import { compactDurations } from '../core/ledger/durations.ts';
import type { CountedCall, LedgerStore, NameKind, StoredFeedback } from '../core/ledger/ledger-storage.ts';
import type { Price } from '../core/ledger/price.ts';
import { type CallTotal, type GroupedCall, rollUp, rollUpCosts, sumFields } from '../core/ledger/rollup.ts';
import { writeEvents } from './audit.ts';
import { addBatch } from './call-batches.ts';
import { changeOrganization } from './change-organization.ts';
import type { Database, Query } from './database.ts';
import { costColumns, findCall, findCallByUpstreamId, listCalls } from './list-calls.ts';
import { fields, select } from './select.ts';
import { type ColumnType, columnOf, type Statement, statement } from './statement.ts';
import { upstreamKeyOf } from './upstream-key.ts';
import { reportUsage } from './usage-reports.ts';
import { insertInto, typed, writeOf } from './write-rows.ts';

/** How many groups and prices a process remembers. Beyond that, it forgets all of them. */
const knownMax = 20_000;

export function ledgerStore(database: Database): LedgerStore {
  const groupIds = new Map<string, number>();
  const priceIds = new Map<string, number>();
  /** The numbers of the prices that costs were computed with; null without one. */
  async function learnPrices(costs: readonly Cost[]): Promise<readonly (number | null)[]> {
    const texts = costs.map(({ price }) => (price === null ? null : textOf(price)));
    const given = texts.filter((text) => text !== null);
    const numbers = await learn(priceIds, given, (unknown) => findOrAddPrices(database, unknown));
    return texts.map((text) => (text === null ? null : numberOf(numbers, text)));
  }
  return {
    async write({ id, calls }, keepsCalls) {
      const groups = calls.map(({ group }) => JSON.stringify(group));
      const groupNumbers = await learn(groupIds, groups, (texts) => findOrAddGroups(database, texts));
      const prices = await learnPrices(calls.map(({ cost }) => cost));
      const grouped = calls.map((call, index): GroupedCall => [numberOf(groupNumbers, groups[index]), call]);
      const totals = rollUp(grouped);
      await database.transaction(async (query) => {
        if ((await addBatch(query, [{ id }])).length === 0) return;
        if (keepsCalls) {
          const rows = grouped.map(([groupId, call], index) =>
            rowOf(groupId, prices[index] ?? null, call, calls.length),
          );
          await addCalls(query, rows);
        }
        const long = (await addTotals(query, totals)).filter(({ length }) => length > lengthMax);
        if (long.length > 0) await compactTotals(query, long);
      });
    },
    async deleteCallsBefore(id, limit) {
      await database.write(deleteFeedback, [id, limit]);
      return (await database.write(deleteCalls, [id, limit])).length;
    },
    async deleteBatchesBefore(id) {
      await database.write(deleteBatches, [id]);
    },
    async addFeedback(feedback) {
      await database.transaction((query) => addFeedback(query, [feedback]));
    },
    find: (scope, id) => findCall(database.query, scope, id),
    findByUpstreamId: (scope, id) => findCallByUpstreamId(database.query, scope, id),
    list: (scope, page) => listCalls(database.query, scope, page),
    listCounted: (organizationId, { afterId, beforeId, limit }) =>
      database.query(listCountedCalls, [organizationId, afterId, beforeId, limit]),
    async changeCosts(changes) {
      const prices = await learnPrices(changes.map(({ cost }) => cost));
      const rows = changes.map(({ call, cost }, index) => ({
        id: call.id,
        oldCostNanos: call.cost.nanos,
        costNanos: cost.nanos,
        costSource: cost.source,
        priceId: prices[index] ?? null,
      }));
      return database.transaction(async (query) => {
        const changed = new Set((await updateCosts(query, rows)).map(({ id }) => id));
        const made = changes.filter(({ call }) => changed.has(call.id));
        await addTotals(query, rollUpCosts(made));
        return made;
      });
    },
    recordRepricing: (organizationId, actor, at, event) =>
      changeOrganization(database, organizationId, actor, (query) =>
        writeEvents(query, organizationId, actor, at, [event]),
      ),
    report: (scope, report) => reportUsage(database.query, scope, report),
    async names(kind, ids) {
      const rows = await database.query(namesOf[kind], [ids]);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    findPresets: ({ organizationId, workspaceIds = null }, slugs) =>
      database.query(findPresetsBySlug, [organizationId, slugs, workspaceIds]),
  };
}

/** Calls of a model share their price. */
const priceTexts = new WeakMap<Price, string>();

function textOf(price: Price): string {
  const text = priceTexts.get(price) ?? JSON.stringify(price);
  priceTexts.set(price, text);
  return text;
}

/**
 * The numbers of these texts. Texts get a number once, and for good. Others may empty `known` at
 * any time, so callers only read what is returned.
 */
async function learn(
  known: Map<string, number>,
  texts: readonly string[],
  findOrAdd: (texts: readonly string[]) => Promise<readonly (readonly [string, number])[]>,
): Promise<ReadonlyMap<string, number>> {
  if (known.size > knownMax) known.clear();
  const numbers = new Map<string, number>();
  const unknown = new Set<string>();
  for (const text of texts) {
    const number = known.get(text);
    if (number === undefined) unknown.add(text);
    else numbers.set(text, number);
  }
  if (unknown.size === 0) return numbers;
  for (const [text, number] of await findOrAdd([...unknown])) {
    known.set(text, number);
    numbers.set(text, number);
  }
  return numbers;
}

function numberOf(known: ReadonlyMap<string, number>, text = ''): number {
  const id = known.get(text);
  if (id === undefined) throw new Error(`a call has an unknown group or price: ${text}`);
  return id;
}

const addGroups = insertInto<CallGroup & { readonly digest: string }>(
  'add-call-groups',
  'call_groups',
  { digest: 'text', ...groupTypes },
  'ON CONFLICT (digest) DO NOTHING',
);

interface Numbered {
  readonly id: number;
  readonly text: string;
}

const findGroups = statement<Numbered>(
  'find-call-groups',
  ({ isIn }) => `SELECT id, digest AS text FROM call_groups WHERE ${isIn('digest', '$1', 'text')}`,
);

async function findOrAddGroups(database: Database, texts: readonly string[]) {
  const digests = new Map(texts.map((text) => [hash('sha256', text, 'hex').slice(0, 32), text]));
  const list = [...digests.keys()];
  let found = await database.query(findGroups, [list]);
  if (found.length < list.length) {
    const isNew = (digest: string) => !found.some(({ text }) => text === digest);
    const added = [...digests].filter(([digest]) => isNew(digest));
    await database.transaction((query) =>
      addGroups(
        query,
        added.map(([digest, text]) => ({ digest, ...(JSON.parse(text) as CallGroup) })),
      ),
    );
    found = await database.query(findGroups, [list]);
  }
  return found.map(({ id, text }) => [digests.get(text) ?? '', id] as const);
}

const addPrices = insertInto<{ readonly price: string }>(
  'add-call-prices',
  'call_prices',
  { price: 'text' },
  'ON CONFLICT (price) DO NOTHING',
);

const findPrices = statement<Numbered>(
  'find-call-prices',
  ({ isIn }) => `SELECT id, price AS text FROM call_prices WHERE ${isIn('price', '$1', 'text')}`,
);

async function findOrAddPrices(database: Database, texts: readonly string[]) {
  await database.transaction((query) =>
    addPrices(
      query,
      texts.map((price) => ({ price })),
    ),
  );
  const found = await database.query(findPrices, [texts]);
  return found.map(({ id, text }) => [text, id] as const);
}

type CallRow = ReturnType<typeof rowOf>;

function rowOf(groupId: number, priceId: number | null, call: CallRecord, callsInBatch: number) {
  const { group, tokens, cost, fallbacks, ...columns } = call;
  const { id, upstreamId } = call;
  return {
    ...columns,
    groupId,
    priceId,
    upstreamKey: upstreamId === null ? null : upstreamKeyOf(upstreamId, id, callsInBatch),
    inputTokens: tokens.input,
    cachedTokens: tokens.cached,
    cacheWriteTokens: tokens.cacheWrite,
    outputTokens: tokens.output,
    reasoningTokens: tokens.reasoning,
    costNanos: cost.nanos,
    costSource: cost.source,
    fallbacks: fallbacks.length === 0 ? null : JSON.stringify(fallbacks),
  };
}

const addCalls = insertInto<CallRow>('add-calls', 'calls', {
  id: 'uuid',
  ...typed('text', 'requestedModel', 'respondingModel', 'upstreamId', 'finishReason', 'costSource'),
  ...typed('text', 'fallbacks', 'sessionId', 'endUser', 'appTitle', 'referer'),
  ...typed('text', 'requestedPreset', 'errorCode', 'errorMessage'),
  ...typed('integer', 'groupId', 'priceId'),
  ...typed('bigint', 'upstreamKey', 'inputTokens', 'cachedTokens', 'cacheWriteTokens', 'outputTokens'),
  ...typed('bigint', 'reasoningTokens', 'costNanos'),
  ...typed('real', 'firstTokenMs', 'totalMs', 'presetdMs'),
  ...typed('boolean', 'isEstimated', 'isStreamed'),
});

const periodTypes = typed('integer', 'resolution', 'groupId', 'start');

const durationTypes = typed('text', 'durations', 'firstTokenDurations');

const sumTypes = typed('bigint', ...sumFields);

interface Period {
  readonly resolution: number;
  readonly groupId: number;
  readonly start: number;
}

const addTotals = insertInto<CallTotal, Period & { readonly length: number }>(
  'add-call-totals',
  'call_totals',
  { ...periodTypes, ...sumTypes, ...durationTypes },
  `ON CONFLICT (resolution, group_id, start)
   DO UPDATE SET ${added('+', Object.keys(sumTypes))}, ${added('||', Object.keys(durationTypes))}
   RETURNING resolution, group_id AS "groupId", start,
     octet_length(durations) + octet_length(first_token_durations) AS length`,
);

/** Each call appends to the durations of its group. Longer texts would cost more per batch. */
const lengthMax = 2_000;

/** Few rows at a time. The transaction has just written them, so nobody else can change them. */
async function compactTotals(query: Query, periods: readonly Period[]): Promise<void> {
  for (const { resolution, groupId, start } of periods) {
    const key = [resolution, groupId, start];
    const [found] = await query(findDurations, key);
    if (found === undefined) continue;
    const compacted = [found.durations, found.firstTokenDurations].map(compactDurations);
    await query(updateDurations, [...key, ...compacted]);
  }
}

const findDurations = statement<Pick<CallTotal, 'durations' | 'firstTokenDurations'>>(
  'find-durations',
  `SELECT durations, first_token_durations AS "firstTokenDurations" FROM call_totals
   WHERE resolution = $1 AND group_id = $2 AND start = $3`,
);

const updateDurations = statement(
  'update-durations',
  `UPDATE call_totals SET durations = $4, first_token_durations = $5
   WHERE resolution = $1 AND group_id = $2 AND start = $3`,
);

function added(operator: '+' | '||', fields: readonly string[]): string {
  return fields
    .map(columnOf)
    .map((column) => `${column} = call_totals.${column} ${operator} excluded.${column}`)
    .join(', ');
}

const listCountedCalls = select<CountedCall>(
  'list-counted-calls',
  {
    ...fields('c', 'id', 'groupId', 'respondingModel'),
    ...fields('g', 'model', 'upstream', 'dialect'),
    ...costColumns,
  },
  ({ joinOne }) => `FROM calls c ${joinOne('call_groups g', 'g.id = c.group_id')}
    WHERE g.organization_id = $1 AND c.id > $2 AND c.id < $3 ORDER BY c.id LIMIT $4`,
);

interface NewCost {
  readonly id: string;
  readonly oldCostNanos: number | null;
  readonly costNanos: number | null;
  readonly costSource: string | null;
  readonly priceId: number | null;
}

/** Only if the cost is still the old one: the sums are corrected by the difference. */
const updateCosts = writeOf<NewCost, { readonly id: string }>(
  'update-costs',
  {
    id: 'uuid',
    ...typed('bigint', 'oldCostNanos', 'costNanos'),
    costSource: 'text',
    priceId: 'integer',
  },
  {
    sqlite: `UPDATE calls SET cost_nanos = $3, cost_source = $4, price_id = $5
      WHERE id = $1 AND cost_nanos IS NOT DISTINCT FROM $2 RETURNING id`,
    postgres: (rows) => `UPDATE calls c
      SET cost_nanos = n.cost_nanos, cost_source = n.cost_source, price_id = n.price_id FROM ${rows} n
      WHERE c.id = n.id AND c.cost_nanos IS NOT DISTINCT FROM n.old_cost_nanos RETURNING c.id`,
  },
);

const deleteCalls = statement(
  'delete-calls',
  ({ isAmong }) => `DELETE FROM calls
    WHERE ${isAmong('id', 'SELECT id FROM calls WHERE id < $1 ORDER BY id LIMIT $2')} RETURNING id`,
);

const addFeedback = insertInto<StoredFeedback>(
  'add-call-feedback',
  'call_feedback',
  { callId: 'uuid', ...typed('text', 'authorId', 'category', 'comment'), createdAt: 'timestamptz' },
  `ON CONFLICT (call_id, author_id) DO UPDATE
   SET category = excluded.category, comment = excluded.comment, created_at = excluded.created_at`,
);

const deleteFeedback = statement(
  'delete-call-feedback',
  ({ isAmong }) => `DELETE FROM call_feedback
    WHERE ${isAmong('call_id', 'SELECT call_id FROM call_feedback WHERE call_id < $1 ORDER BY call_id LIMIT $2')}`,
);

const deleteBatches = statement('delete-call-batches', 'DELETE FROM call_batches WHERE id < $1 RETURNING id');

const namesOf: Readonly<Record<NameKind, Statement<{ readonly id: string; readonly name: string }>>> = {
  keys: nameStatement('keys', 'api_keys', 'uuid', 'name'),
  presets: nameStatement('presets', 'presets', 'uuid', 'slug'),
  users: nameStatement('users', 'users', 'text', 'email'),
  workspaces: nameStatement('workspaces', 'workspaces', 'uuid', 'name'),
};

function nameStatement(kind: NameKind, table: string, type: ColumnType, column: string) {
  return statement<{ readonly id: string; readonly name: string }>(
    `names-of-${kind}`,
    ({ isIn }) => `SELECT id, ${column} AS name FROM ${table} WHERE ${isIn('id', '$1', type)}`,
  );
}

const findPresetsBySlug = statement<{ readonly id: string; readonly slug: string }>(
  'find-presets-by-slug',
  ({ isIn }) => `SELECT p.id, p.slug FROM workspaces w JOIN presets p ON p.workspace_id = w.id
    WHERE w.organization_id = $1 AND ${isIn('p.slug', '$2', 'text')}
      AND (${isIn('w.id', '$3', 'uuid')} OR $3 IS NULL)`,
);
