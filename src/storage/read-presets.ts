import { yieldToEventLoop } from '../core/concurrency/cooperative-scheduler.ts';
import type { Page } from '../core/page.ts';
import type {
  AuthoredVersion,
  Preset,
  PresetAddress,
  PresetOverview,
  PresetState,
  PresetStatus,
  PresetSummary,
} from '../core/presets/preset.ts';
import type { PresetEvent } from '../core/presets/preset-event.ts';
import type { PresetPage, PresetStore } from '../core/presets/preset-storage.ts';
import type { Database, Query } from './database.ts';
import { recordColumns, stateColumns, versionColumns } from './preset-columns.ts';
import { beforeFirstPreset } from './preset-contents.ts';
import { type Columns, fields, json, select } from './select.ts';
import { type Sql, statement } from './statement.ts';
import { skipAhead, walkForPage } from './walk-list.ts';
import { countedHitsMax, presetNames, presetWords, searchTerms, type WordIndex } from './word-index.ts';
import { countWords, hasWords, selectHits } from './word-search.ts';

/** The read methods of the preset store. */
export function presetReads(database: Database): Omit<PresetStore, 'createVersion' | 'change' | 'index'> {
  const { query } = database;
  return {
    find: (address) => findPreset(query, address),
    state: (address) => presetState(query, address),
    list: (workspace, filter, page) => listPresets(database, workspace, filter, page),
    listBySlug: ({ workspaceId, organizationId }, afterSlug, limit) =>
      query(listBySlug, [workspaceId, afterSlug, organizationId, limit]),
    versions: (presetId, { offset, limit }) => query(versionsStatement, [presetId, offset, offset + limit]),
    authoredVersions: (presetId, { offset, limit }) =>
      query(authoredVersions, [presetId, offset, offset + limit]),
    async overviews(presets) {
      const found = new Map<string, Overview>();
      const batchMax = overviewsAtOnce[database.engine];
      for (let start = 0; start < presets.length; start += batchMax) {
        if (start > 0) await yieldToEventLoop();
        const batch = presets
          .slice(start, start + batchMax)
          .map(({ id, revision, designatedNumber }) => ({ id, revision, version: designatedNumber }));
        for (const overview of await query(overviews, [batch])) found.set(overview.id, overview);
      }
      return presets.map((preset) => {
        const overview = found.get(preset.id);
        if (overview === undefined) throw new Error(`preset ${preset.id} has no event ${preset.revision}`);
        return { ...preset, ...overview };
      });
    },
    events: ({ id, revision }, { offset, limit }) =>
      query(events, [id, revision - offset - limit, revision - offset]),
  };
}

export async function findPreset(
  query: Query,
  { workspaceId, slug, organizationId }: PresetAddress,
): Promise<Preset | undefined> {
  return (await query(findPresetStatement, [workspaceId, slug, organizationId]))[0];
}

export async function presetState(
  query: Query,
  { workspaceId, slug, organizationId }: PresetAddress,
): Promise<PresetState | undefined> {
  return (await query(presetStateStatement, [workspaceId, slug, organizationId]))[0];
}

/**
 * Lists and searches presets. Statuses without presets are left out first, so that most lists read
 * a single range.
 */
async function listPresets(
  { query, engine }: Database,
  ...[{ workspaceId, organizationId }, filter, page]: Parameters<PresetStore['list']>
): Promise<PresetPage | undefined> {
  const [first = null, second = null, third = null] = filter.statuses;
  const counts = await query(countPresets, [workspaceId, first, second, third, organizationId]);
  if (counts.length === 0) return undefined;
  const terms = searchTerms(filter);
  const totalCount = counts.reduce((sum, { presets }) => sum + (presets ?? 0), 0);
  const statuses = counts.flatMap(({ status }) => status ?? []);
  // An offset past the end would walk over every preset for nothing.
  if (statuses.length === 0 || (terms === undefined && page.offset >= totalCount))
    return { presets: [], totalCount: terms === undefined ? totalCount : 0, isTotalExact: true };
  const walk = walkOf(query, workspaceId, statuses);
  if (terms !== undefined) return search(query, walk, terms, page);
  const skipped = await skipAhead(page.offset, skippedAtOnce[engine], listStart, walk.chunkEnd);
  if (skipped === undefined) return { presets: [], totalCount, isTotalExact: true };
  const values = [...walk.after(skipped.after), page.limit, skipped.rest];
  return { presets: await query(walk.statements.list, values), totalCount, isTotalExact: true };
}

/** A walk over the presets of a workspace that have one of these statuses. */
function walkOf(query: Query, workspaceId: string, statuses: readonly PresetStatus[]) {
  const [one = null, two = null, three = null] = statuses;
  const statements = two === null ? ofOneStatus : ofThreeStatuses;
  const after = ({ updatedAt, id }: PresetPosition) => [
    ...[workspaceId, updatedAt, id],
    ...(two === null ? [one] : [one, two, three]),
  ];
  return {
    statements,
    /** The first parameters of these statements. */
    after,
    /** The first parameters of statements that look up a word. */
    scope: [workspaceId, one, two, three],
    chunkEnd: async (start: PresetPosition) => (await query(statements.chunkEnd, after(start)))[0],
  };
}

/**
 * Looks up a rare word and counts its matches exactly. If all words are common, walks over the
 * list, and counts only up to the page.
 */
async function search(
  query: Query,
  { statements, after, scope, chunkEnd }: ReturnType<typeof walkOf>,
  terms: readonly string[],
  page: Page,
): Promise<PresetPage> {
  const hits = await query(countPresetWords, [...scope.slice(0, 1), terms]);
  const [rarest, ...others] = hits;
  if (rarest === undefined) return { presets: [], totalCount: 0, isTotalExact: true };
  if (rarest.hits <= countedHitsMax) {
    const values = [...scope, rarest.word, others.map(({ word }) => word)];
    const rows = await query(searchPresets, [...values, page.limit, page.offset]);
    const totalCount = rows[0]?.found ?? (await query(countFound, values))[0]?.presets ?? 0;
    return { presets: rows.map(({ preset }) => preset), totalCount, isTotalExact: true };
  }
  const walk = hits.some(({ inContents }) => inContents) ? statements.walkContents : statements.walkNames;
  const words = hits.map(({ word }) => word);
  const matches = (start: PresetPosition, limit: number) => query(walk, [...after(start), words, limit]);
  const { ids, ...count } = await walkForPage({ start: listStart, matches, chunkEnd }, page);
  return { presets: await query(summaries, [ids]), ...count };
}

/** A position in a list of presets. Later positions have older updates. */
type PresetPosition = Pick<PresetState, 'id' | 'updatedAt'>;

/** Expects the designated version as `v`, besides the preset. */
const summaryColumns: Columns<PresetSummary> = { ...stateColumns, designatedVersionId: 'v.id' };

/**
 * The id of the preset that has the name $2, as its slug or an alias, in the workspace $1. Null if
 * there is none.
 */
export const presetIdByName = `coalesce(
    (SELECT id FROM presets WHERE workspace_id = $1 AND slug = $2),
    (SELECT preset_id FROM preset_aliases WHERE workspace_id = $1 AND alias = $2)
  )`;

/** Finds a preset of any organization by a name, without its state. */
export const presetByNameStatement = statement<{ readonly id: string; readonly slug: string }>(
  'preset-by-name',
  `SELECT id, slug FROM presets WHERE id = ${presetIdByName}`,
);

/** A preset in a deleted workspace does not exist. */
const inWorkspace = `EXISTS (
    SELECT 1 FROM workspaces w WHERE w.id = $1 AND w.organization_id = $3 AND w.deleted_at IS NULL
  )`;

const whereAddress = `WHERE p.id = ${presetIdByName} AND ${inWorkspace}`;

const findPresetStatement = select<Preset>(
  'find-preset',
  { ...recordColumns(), designatedVersion: versionColumns },
  `FROM presets p JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version ${whereAddress}`,
);

const presetStateStatement = select('preset-state', stateColumns, `FROM presets p ${whereAddress}`);

/** Joins the rows of a page of ids. */
const joinPage = ({ joinOne }: Sql, id = 'page.id') => `${joinOne('presets p', `p.id = ${id}`)}
  ${joinOne('preset_versions v', 'v.preset_id = p.id AND v.version = p.designated_version')}`;

/** Triggers keep the counts. No row without such a workspace, one of nulls if it is empty. */
const countPresets = statement<{ readonly status: PresetStatus | null; readonly presets: number | null }>(
  'count-presets',
  `SELECT c.status, c.presets FROM workspaces w
    LEFT JOIN preset_counts c ON c.workspace_id = w.id AND c.status IN ($2, $3, $4) AND c.presets > 0
    WHERE w.id = $1 AND w.organization_id = $5 AND w.deleted_at IS NULL`,
);

/**
 * SQLite walks over this many presets in about a millisecond, or in a few if it checks contents.
 * Nothing else runs meanwhile.
 */
const chunkPresets = 1_000;

/** PostgreSQL blocks nothing while it walks over the rows before an OFFSET. */
const skippedAtOnce = { sqlite: chunkPresets, postgres: Number.POSITIVE_INFINITY };

const newestFirst = 'ORDER BY updated_at DESC, id DESC';

/**
 * The presets after a position, newest update first. The index orders each status, so merging
 * several of them needs no sorting; PostgreSQL knows that only if each is ordered.
 */
const merged = (statuses: readonly string[]) => {
  const ofStatus = (status: string) => `SELECT id, updated_at FROM (
      SELECT id, updated_at FROM presets
      WHERE workspace_id = $1 AND status = ${status} AND (updated_at, id) < ($2, $3) ${newestFirst}
    ) of_status`;
  return `${statuses.map(ofStatus).join(' UNION ALL ')} ${newestFirst}`;
};

/** The statements that list and walk over presets. Most lists have active presets only. */
function statusStatements(suffix: string, statuses: readonly string[]) {
  const presets = merged(statuses);
  const [next, afterNext] = [`$${4 + statuses.length}`, `$${5 + statuses.length}`];
  const walk = (name: string, index: WordIndex) =>
    select<PresetPosition>(
      `${name}-${suffix}`,
      fields('p', 'id', 'updatedAt'),
      (sql) => `FROM (${presets} LIMIT ${chunkPresets}) p
        WHERE ${hasWords(sql, index, next)}
        ORDER BY p.updated_at DESC, p.id DESC LIMIT ${afterNext}`,
    );
  return {
    list: select(
      `list-presets-${suffix}`,
      summaryColumns,
      (sql) => `FROM (${presets} LIMIT ${next} OFFSET ${afterNext}) page ${joinPage(sql)}
        ORDER BY page.updated_at DESC, page.id DESC`,
    ),
    /** The last position of the chunk after a position. */
    chunkEnd: select<PresetPosition>(
      `preset-chunk-end-${suffix}`,
      fields('page', 'id', 'updatedAt'),
      `FROM (${presets} LIMIT 1 OFFSET ${chunkPresets - 1}) page`,
    ),
    walkContents: walk('walk-presets', presetWords),
    walkNames: walk('walk-preset-names', presetNames),
  };
}

const ofOneStatus = statusStatements('one', ['$4']);
const ofThreeStatuses = statusStatements('three', ['$4', '$5', '$6']);

/** Sorts after every preset on both engines: lists run from newest to oldest. */
const listStart: PresetPosition = { updatedAt: 'infinity', id: beforeFirstPreset };

const countPresetWords = countWords(presetWords);

/** Looks up the first word in the index, and checks the others on the presets that it leads to. */
const found = (sql: Sql) => `(
    SELECT p.id, p.updated_at FROM (${selectHits(sql, presetWords, '$5')}) hit
    ${sql.joinOne('presets p', 'p.id = hit.preset_id')}
    WHERE p.status IN ($2, $3, $4) AND ${hasWords(sql, presetWords, '$6')}
  )`;

const countFound = statement<{ readonly presets: number }>(
  'count-found-presets',
  (sql) => `SELECT count(*) AS presets FROM ${found(sql)} found`,
);

const searchPresets = select<{ readonly preset: PresetSummary; readonly found: number }>(
  'search-presets',
  { preset: summaryColumns, found: '(SELECT count(*) FROM found)' },
  (sql) => `FROM (SELECT id, updated_at FROM found ${newestFirst} LIMIT $7 OFFSET $8) page ${joinPage(sql)}
    ORDER BY page.updated_at DESC, page.id DESC`,
  (sql) => `WITH found AS MATERIALIZED ${found(sql)}`,
);

/** Summaries of presets by id, in the order of the ids. */
const summaries = select(
  'preset-summaries',
  summaryColumns,
  (sql) => `FROM ${sql.values('$1', 'uuid')} page ${joinPage(sql, 'page.value')}
    ORDER BY page.ordinal`,
);

const listBySlug = select(
  'list-presets-by-slug',
  stateColumns,
  `FROM presets p
    WHERE p.workspace_id = $1 AND p.slug > $2 AND ${inWorkspace}
    ORDER BY p.slug LIMIT $4`,
);

const pageOfVersions = 'WHERE v.preset_id = $1 AND v.version > $2 AND v.version <= $3 ORDER BY v.version';

export const versionsStatement = select(
  'preset-versions',
  versionColumns,
  `FROM preset_versions v ${pageOfVersions}`,
);

const authoredVersions = select<AuthoredVersion>(
  'authored-preset-versions',
  { ...versionColumns, creatorEmail: 'u.email' },
  `FROM preset_versions v LEFT JOIN users u ON u.id = v.creator_id ${pageOfVersions}`,
);

/**
 * Configs can be long, and SQLite blocks the event loop while it parses them, so overviews yield
 * after this many.
 */
const overviewsAtOnce = { sqlite: 16, postgres: Number.POSITIVE_INFINITY };

/** Lists truncate model names: a config may contain one of any length. */
const shownModelCharactersMax = 256;

/**
 * The model is `model`, or the first text in `models`. The engines have no function for this in
 * common; PostgreSQL reads both fields at once, as each operator parses the config.
 */
const modelOf = {
  sqlite: `CASE json_type(v.config, '$.model') WHEN 'text' THEN v.config ->> 'model' ELSE (
      SELECT listed.value FROM json_each(v.config, '$.models') listed
      WHERE listed.type = 'text' AND json_type(v.config, '$.models') = 'array' LIMIT 1
    ) END`,
  postgres: `CASE json_typeof(kept.model) WHEN 'string' THEN kept.model #>> '{}' ELSE (
      SELECT listed.value #>> '{}'
      FROM json_array_elements(CASE json_typeof(kept.models) WHEN 'array' THEN kept.models ELSE '[]' END)
        WITH ORDINALITY AS listed (value, place)
      WHERE json_typeof(listed.value) = 'string' ORDER BY listed.place LIMIT 1
    ) END`,
};

const readBoth = 'CROSS JOIN LATERAL json_to_record(v.config) AS kept (model json, models json)';

type Overview = Pick<
  PresetOverview,
  'id' | 'model' | 'updatedBy' | 'updatedByEmail' | 'updatedByName' | 'lastCalledAt'
>;

/** Overviews of presets that are given by id, revision and designated version. */
const overviews = statement<Overview>(
  'preset-overviews',
  ({ rows, joinOne, engine }) => `SELECT v.preset_id AS id,
      substr(${modelOf[engine]}, 1, ${shownModelCharactersMax}) AS model,
      e.actor_id AS "updatedBy", u.email AS "updatedByEmail",
      nullif(trim(u.first_name || ' ' || u.last_name), '') AS "updatedByName",
      c.last_called_at AS "lastCalledAt"
    FROM ${rows('$1', { id: 'uuid', revision: 'integer', version: 'integer' })} page
    ${joinOne('preset_versions v', 'v.preset_id = page.id AND v.version = page.version')}
    ${engine === 'postgres' ? readBoth : ''}
    ${joinOne('audit_events e', 'e.preset_id = page.id AND e.number = page.revision')}
    LEFT JOIN users u ON u.id = e.actor_id
    LEFT JOIN preset_calls c ON c.preset_id = page.id`,
);

const events = select<PresetEvent>(
  'preset-events',
  {
    ...fields('e', 'id', 'number', 'kind', 'actorId', 'keyLabel', 'createdAt'),
    actorEmail: 'u.email',
    before: json('e.before'),
    after: json('e.after'),
  },
  `FROM audit_events e LEFT JOIN users u ON u.id = e.actor_id
    WHERE e.preset_id = $1 AND e.number > $2 AND e.number <= $3 ORDER BY e.number DESC`,
);
