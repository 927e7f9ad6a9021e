import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { yieldToEventLoop } from '../../core/cooperative-scheduler.ts';
import type { Page } from '../../core/page.ts';
import type {
  Preset,
  PresetAddress,
  PresetState,
  PresetStatus,
  PresetSummary,
  PresetVersion,
} from '../../core/presets/preset.ts';
import type { PresetPage, PresetStore } from '../../core/presets/preset-storage.ts';
import {
  type AuthoredVersionRow,
  type DesignatedRow,
  designatedVersionColumns,
  type EventRow,
  type FoundRow,
  type OverviewRow,
  type PresetPosition,
  presetColumns,
  type StateRow,
  type SummaryRow,
  shownModelCharactersMax,
  toAuthoredVersion,
  toEvent,
  toOverviews,
  toPreset,
  toState,
  toSummary,
  toVersion,
  type VersionRow,
  versionColumns,
} from '../preset-rows.ts';
import { skipAhead, type WalkSteps, walkForPage } from '../walk-list.ts';
import { countedHitsMax, presetNames, presetWords, searchTerms, type WordIndex } from '../word-index.ts';
import { read } from './errors.ts';
import { presetIdByName } from './preset-names.ts';
import { statement } from './statement.ts';
import { hasWord, hasWords, prepareWordCounts, selectHits } from './word-search.ts';
import { workspaceExistsSql } from './workspaces.ts';

/**
 * The columns of a preset's state. Tags, labels and aliases of a preset `p` are one JSON column
 * each, so that it is still one row.
 */
const stateColumns = `${presetColumns}, (
    SELECT json_group_array(tag ORDER BY tag) FROM preset_tags WHERE preset_id = p.id
  ) AS tags, (
    SELECT json_group_array(json_array(label, version, updated_at) ORDER BY label)
    FROM preset_labels WHERE preset_id = p.id
  ) AS labels, (
    SELECT json_group_array(json_array(alias, created_at) ORDER BY alias)
    FROM preset_aliases WHERE preset_id = p.id
  ) AS aliases`;

/** Limits a query to one preset. A preset in a deleted workspace does not exist. */
const whereAddress = `WHERE p.id = ${presetIdByName}
  AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?1 AND w.organization_id = ?3 AND w.deleted_at IS NULL)`;

const findPresetSql = statement(
  'find-preset',
  `SELECT ${presetColumns}, ${designatedVersionColumns}
  FROM presets p JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version ${whereAddress}`,
);

export const stateSql = statement('preset-state', `SELECT ${stateColumns} FROM presets p ${whereAddress}`);

const selectSummary = `SELECT ${stateColumns}, v.id AS version_id`;

/**
 * Joins the rows of a page of ids. CROSS JOIN fixes the join order, and with it the order of the
 * page.
 */
const joinPage = `CROSS JOIN presets p ON p.id = page.id
  CROSS JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version
  ORDER BY page.updated_at DESC, page.id DESC`;

/** Triggers maintain the counts, so this reads at most three rows. */
const countPresetsSql = statement(
  'count-presets',
  'SELECT status, presets FROM preset_counts WHERE workspace_id = ?1 AND status IN (?2, ?3, ?4) AND presets > 0',
);

/**
 * SQLite walks over this many presets in about a millisecond, or in a few if it checks contents.
 * Nothing else runs meanwhile.
 */
const chunkPresets = 1_000;

const ofStatus = (status: string) =>
  `SELECT id, updated_at FROM presets WHERE workspace_id = ?1 AND status = ${status} AND (updated_at, id) < (?5, ?6)`;

/**
 * The presets after a position, newest update first. The index orders each status, so merging three
 * of them needs no sorting. Most lists have active presets only; reading one range is faster.
 */
const merges = {
  one: `${ofStatus('?2')} ORDER BY updated_at DESC, id DESC`,
  three: `${['?2', '?3', '?4'].map(ofStatus).join(' UNION ALL ')} ORDER BY updated_at DESC, id DESC`,
} as const;

/** How many statuses a statement merges. */
type Statuses = keyof typeof merges;

const listPresetsSql = (statuses: Statuses) =>
  statement(
    `list-presets-${statuses}`,
    `${selectSummary} FROM (${merges[statuses]} LIMIT ?7 OFFSET ?8) page ${joinPage}`,
  );

/** The last position of the chunk after a position. */
const presetChunkEndSql = (statuses: Statuses) =>
  statement(`preset-chunk-end-${statuses}`, `${merges[statuses]} LIMIT 1 OFFSET ${chunkPresets - 1}`);

/** CASE checks the rarest word first; SQLite may reorder the terms of an AND. */
const walkSql = (statuses: Statuses, index: WordIndex) =>
  statement(
    `walk-${index.hasContents ? 'presets' : 'preset-names'}-${statuses}`,
    `SELECT p.id, p.updated_at
  FROM (${merges[statuses]} LIMIT ${chunkPresets}) p WHERE CASE WHEN ${hasWord(index, '?7')} THEN ${hasWords(index, '?8')} END
  ORDER BY p.updated_at DESC, p.id DESC LIMIT ?9`,
  );

/** Sorts after every timestamp: lists run from newest to oldest. */
const listStart: PresetPosition = { updated_at: 'Z', id: '' };

/** Looks up the first word in the index, and checks the others on the presets that it leads to. */
const found = `(
    SELECT p.id, p.updated_at FROM (${selectHits(presetWords, '?5')}) hit JOIN presets p ON p.id = hit.preset_id
    WHERE p.status IN (?2, ?3, ?4) AND ${hasWords(presetWords, '?6')}
  )`;

const countFoundSql = statement('count-found-presets', `SELECT count(*) AS presets FROM ${found}`);

const searchPresetsSql = statement(
  'search-presets',
  `WITH found AS MATERIALIZED ${found}
  ${selectSummary}, (SELECT count(*) FROM found) AS found
  FROM (SELECT id, updated_at FROM found ORDER BY updated_at DESC, id DESC LIMIT ?7 OFFSET ?8) page
  ${joinPage}`,
);

/** Summaries of presets by id, in the order of the ids. */
const summariesSql = statement(
  'preset-summaries',
  `${selectSummary} FROM json_each(?) page CROSS JOIN presets p ON p.id = page.value
  CROSS JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version
  ORDER BY page.key`,
);

const listBySlugSql = statement(
  'list-presets-by-slug',
  `SELECT ${stateColumns} FROM presets p
  WHERE p.workspace_id = ? AND p.slug > ?
    AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = p.workspace_id AND w.organization_id = ? AND w.deleted_at IS NULL)
  ORDER BY p.slug LIMIT ?`,
);

const versionsSql = statement(
  'preset-versions',
  `SELECT ${versionColumns} FROM preset_versions v
  WHERE v.preset_id = ? AND v.version > ? AND v.version <= ? ORDER BY v.version`,
);

const authoredVersionsSql = statement(
  'authored-preset-versions',
  `SELECT ${versionColumns}, u.email AS creator_email
  FROM preset_versions v LEFT JOIN users u ON u.id = v.creator_id
  WHERE v.preset_id = ? AND v.version > ? AND v.version <= ? ORDER BY v.version`,
);

/** Overviews of presets that are given as a JSON array of [id, revision, designated version]. */
const overviewsSql = statement(
  'preset-overviews',
  `SELECT v.preset_id, e.actor_id, u.email AS actor_email,
    substr(CASE json_type(v.config, '$.model')
      WHEN 'text' THEN json_extract(v.config, '$.model')
      ELSE (
        SELECT model.value FROM json_each(v.config, '$.models') model
        WHERE model.type = 'text' AND json_type(v.config, '$.models') = 'array' LIMIT 1
      )
    END, 1, ${shownModelCharactersMax}) AS model
  FROM json_each(?) page
  CROSS JOIN preset_versions v ON v.preset_id = page.value ->> 0 AND v.version = page.value ->> 2
  CROSS JOIN audit_events e ON e.preset_id = v.preset_id AND e.number = page.value ->> 1
  LEFT JOIN users u ON u.id = e.actor_id`,
);

/**
 * Configs can be long, and SQLite blocks the event loop while it parses them, so overviews yield
 * after this many.
 */
const overviewsPerTick = 16;

const eventsSql = statement(
  'preset-events',
  `SELECT e.id, e.number, e.kind, e.actor_id, u.email AS actor_email, e.key_label, e.before, e.after,
    e.created_at
  FROM audit_events e LEFT JOIN users u ON u.id = e.actor_id
  WHERE e.preset_id = ? AND e.number > ? AND e.number <= ? ORDER BY e.number DESC`,
);

export interface PresetReads {
  find(address: PresetAddress): Preset | undefined;
  state(address: PresetAddress): PresetState | undefined;
  versions(presetId: string, page: Page): readonly PresetVersion[];
  /** The read methods of the port, for use outside a transaction. */
  readonly port: Omit<PresetStore, 'createVersion' | 'change' | 'index'>;
}

/**
 * Prepares every read of presets. `change-preset.ts` uses the synchronous ones inside its
 * transaction.
 */
export function preparePresetReads(database: DatabaseSync): PresetReads {
  const find = prepare<DesignatedRow>(database, findPresetSql);
  const state = prepare<StateRow>(database, stateSql);
  const versions = prepare<VersionRow>(database, versionsSql);
  const authoredVersions = prepare<AuthoredVersionRow>(database, authoredVersionsSql);
  const events = prepare<EventRow>(database, eventsSql);
  const overviews = prepareOverviews(database);
  const bySlug = prepare<StateRow>(database, listBySlugSql);
  const list = prepareList(database);

  const reads = {
    find: ({ workspaceId, slug, organizationId }: PresetAddress) =>
      find(workspaceId, slug, organizationId).map(toPreset)[0],
    state: ({ workspaceId, slug, organizationId }: PresetAddress) =>
      state(workspaceId, slug, organizationId).map(toState)[0],
    versions: (presetId: string, { offset, limit }: Page) =>
      versions(presetId, offset, offset + limit).map(toVersion),
  };
  return {
    ...reads,
    port: {
      find: async (address) => read(() => reads.find(address)),
      state: async (address) => read(() => reads.state(address)),
      list,
      listBySlug: async ({ workspaceId, organizationId }, afterSlug, limit) =>
        read(() => bySlug(workspaceId, afterSlug, organizationId, limit).map(toState)),
      overviews,
      versions: async (presetId, page) => read(() => reads.versions(presetId, page)),
      authoredVersions: async (presetId, { offset, limit }) =>
        read(() => authoredVersions(presetId, offset, offset + limit).map(toAuthoredVersion)),
      events: async ({ id, revision }, { offset, limit }) =>
        read(() => events(id, revision - offset - limit, revision - offset).map(toEvent)),
    },
  };
}

/**
 * Lists and searches presets. Statuses without presets are left out first, so that most lists read
 * a single range.
 */
function prepareList(database: DatabaseSync): PresetStore['list'] {
  const workspaceExists = database.prepare(workspaceExistsSql);
  const countPresets = prepare<{ status: PresetStatus; presets: number }>(database, countPresetsSql);
  const queries = {
    one: prepareStatusQueries(database, 'one'),
    three: prepareStatusQueries(database, 'three'),
  };

  return async ({ workspaceId, organizationId }, filter, page) => {
    const terms = searchTerms(filter);
    const counts = read(() => {
      if (workspaceExists.get(workspaceId, organizationId) === undefined) return undefined;
      const [one = null, two = null, three = null] = filter.statuses;
      return countPresets(workspaceId, one, two, three);
    });
    if (counts === undefined) return undefined;
    const totalCount = counts.reduce((sum, { presets }) => sum + presets, 0);
    const [one, two = null, three = null] = counts.map(({ status }) => status);
    // An offset past the end would walk over every preset for nothing.
    if (one === undefined || (terms === undefined && page.offset >= totalCount))
      return { presets: [], totalCount: terms === undefined ? totalCount : 0, isTotalExact: true };
    const { list, search } = queries[two === null ? 'one' : 'three'];
    const scope = [workspaceId, one, two, three] as const;
    if (terms !== undefined) return search(scope, terms, page);
    return { presets: await list(scope, page), totalCount, isTotalExact: true };
  };
}

/** The first parameters of every list statement. */
type Scope = readonly [workspaceId: string, ...statuses: (PresetStatus | null)[]];

/** Prepares the statements that list and search presets of one status, or of up to three. */
function prepareStatusQueries(database: DatabaseSync, statuses: Statuses) {
  const page = prepare<SummaryRow>(database, listPresetsSql(statuses));
  const chunkEnd = prepare<PresetPosition>(database, presetChunkEndSql(statuses));
  const walkContents = prepare<PresetPosition>(database, walkSql(statuses, presetWords));
  const walkNames = prepare<PresetPosition>(database, walkSql(statuses, presetNames));
  const countWords = prepareWordCounts(database, presetWords);
  const countFound = database.prepare(countFoundSql);
  const lookUp = prepare<FoundRow>(database, searchPresetsSql);
  const summaries = prepare<SummaryRow>(database, summariesSql);
  const chunkEndAfter = (scope: Scope, { updated_at, id }: PresetPosition) =>
    read(() => chunkEnd(...scope, updated_at, id)[0]);

  return {
    async list(scope: Scope, { offset, limit }: Page): Promise<readonly PresetSummary[]> {
      const skipped = await skipAhead(offset, chunkPresets, listStart, (after) =>
        chunkEndAfter(scope, after),
      );
      if (skipped === undefined) return [];
      const { after, rest } = skipped;
      return read(() => page(...scope, after.updated_at, after.id, limit, rest).map(toSummary));
    },

    async search(scope: Scope, words: readonly string[], { offset, limit }: Page): Promise<PresetPage> {
      const counted = read(() => countWords(scope[0], words));
      const [rarest, ...others] = counted;
      if (rarest === undefined) return { presets: [], totalCount: 0, isTotalExact: true };
      const terms = [rarest.word, JSON.stringify(others.map(({ word }) => word))];
      if (rarest.hits <= countedHitsMax) {
        return read(() => {
          const rows = lookUp(...scope, ...terms, limit, offset);
          const totalCount = rows[0]?.found ?? Number(countFound.get(...scope, ...terms)?.presets);
          return { presets: rows.map(toSummary), totalCount, isTotalExact: true };
        });
      }
      const walk = counted.some(({ in_contents }) => in_contents) ? walkContents : walkNames;
      const steps: WalkSteps<PresetPosition> = {
        matches: ({ updated_at, id } = listStart, matchesMax) =>
          read(() => walk(...scope, updated_at, id, ...terms, matchesMax)),
        chunkEnd: (after = listStart) => chunkEndAfter(scope, after),
      };
      const { ids, ...count } = await walkForPage(steps, { offset, limit });
      return { presets: read(() => summaries(JSON.stringify(ids))).map(toSummary), ...count };
    },
  };
}

function prepareOverviews(database: DatabaseSync): PresetStore['overviews'] {
  const overviews = prepare<OverviewRow>(database, overviewsSql);
  return async (presets) => {
    const rows: OverviewRow[] = [];
    for (let start = 0; start < presets.length; start += overviewsPerTick) {
      if (start > 0) await yieldToEventLoop();
      const batch = presets.slice(start, start + overviewsPerTick);
      const page = batch.map(({ id, revision, designatedNumber }) => [id, revision, designatedNumber]);
      rows.push(...read(() => overviews(JSON.stringify(page))));
    }
    return toOverviews(presets, rows);
  };
}

/** The caller vouches that `Row` matches the columns. */
function prepare<Row>(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => Row[] {
  const statement = database.prepare(sql);
  return (...values) => statement.all(...values) as unknown as Row[];
}
