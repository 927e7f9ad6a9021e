import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { yieldToEventLoop } from '../../core/cooperative-scheduler.ts';
import type { Page } from '../../core/organization.ts';
import type {
  Preset,
  PresetAddress,
  PresetState,
  PresetStatus,
  PresetSummary,
  PresetVersion,
} from '../../core/preset.ts';
import type { PresetPage, PresetStore } from '../../core/storage.ts';
import {
  type AuthoredVersionRow,
  type DesignatedRow,
  designatedVersionColumns,
  type EventRow,
  type FoundRow,
  type OverviewRow,
  type PresetPlace,
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
import { type WalkSteps, walkForPage } from '../walk-list.ts';
import { countedHitsMax, presetWords } from '../word-index.ts';
import { read } from './errors.ts';
import { findWorkspaceSql } from './find-workspace.ts';
import { skipAhead } from './skip-ahead.ts';
import { hasWord, hasWords, hitsOf, prepareWordCounts } from './word-search.ts';

const labels = `(
    SELECT json_group_array(json_array(label, version, updated_at) ORDER BY label)
    FROM preset_labels WHERE preset_id = p.id
  ) AS labels`;

const ofAddress = `WHERE p.workspace_id = ? AND p.slug = ?
  AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = p.workspace_id AND w.organization_id = ? AND w.deleted_at IS NULL)`;

export const findPresetSql = `SELECT ${presetColumns}, ${designatedVersionColumns}
  FROM presets p JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version ${ofAddress}`;

export const stateSql = `SELECT ${presetColumns}, ${labels} FROM presets p ${ofAddress}`;

const summary = `SELECT ${presetColumns}, ${labels}, v.id AS version_id`;

/** The rows of a page, in the order in which it has their ids; no other order of joining keeps it. */
const ofPage = `CROSS JOIN presets p ON p.id = page.id
  CROSS JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version
  ORDER BY page.updated_at DESC, page.id DESC`;

export const countPresetsSql =
  'SELECT status, presets FROM preset_counts WHERE workspace_id = ?1 AND status IN (?2, ?3, ?4) AND presets > 0';

/** SQLite goes through so many presets in about a millisecond, and nobody else has a turn meanwhile. */
const walkedAtOnce = 1_000;

const ofStatus = (status: string) =>
  `SELECT id, updated_at FROM presets WHERE workspace_id = ?1 AND status = ${status} AND (updated_at, id) < (?5, ?6)`;

/**
 * What comes after a place. Each status is in the order of its index, and the merge of three is in order without sorting.
 * It takes longer than going through one, and often there are only active ones.
 */
const merges = {
  one: `${ofStatus('?2')} ORDER BY updated_at DESC, id DESC`,
  three: `${['?2', '?3', '?4'].map(ofStatus).join(' UNION ALL ')} ORDER BY updated_at DESC, id DESC`,
} as const;

type Statuses = keyof typeof merges;

export const statusShapes = Object.keys(merges) as readonly Statuses[];

export const listPresetsSql = (statuses: Statuses) =>
  `${summary} FROM (${merges[statuses]} LIMIT ?7 OFFSET ?8) page ${ofPage}`;

/** The last of those that are gone through at once. */
export const walkedSql = (statuses: Statuses) => `${merges[statuses]} LIMIT 1 OFFSET ${walkedAtOnce - 1}`;

/** The rarest word is asked for first, which an AND would leave to SQLite. */
export const walkSql = (statuses: Statuses) => `SELECT p.id, p.updated_at
  FROM (${merges[statuses]} LIMIT ${walkedAtOnce}) p WHERE CASE WHEN ${hasWord(presetWords, '?7')} THEN ${hasWords(presetWords, '?8')} END
  ORDER BY p.updated_at DESC, p.id DESC LIMIT ?9`;

/** Later than every time. */
const listStart: PresetPlace = { updated_at: 'Z', id: '' };

/** The first word is looked up in the index, the others on the presets it leads to. */
const found = `(
    SELECT p.id, p.updated_at FROM (${hitsOf(presetWords, '?5')}) hit JOIN presets p ON p.id = hit.preset_id
    WHERE p.status IN (?2, ?3, ?4) AND ${hasWords(presetWords, '?6')}
  )`;

export const countFoundSql = `SELECT count(*) AS presets FROM ${found}`;

export const searchPresetsSql = `WITH found AS MATERIALIZED ${found}
  ${summary}, (SELECT count(*) FROM found) AS found
  FROM (SELECT id, updated_at FROM found ORDER BY updated_at DESC, id DESC LIMIT ?7 OFFSET ?8) page
  ${ofPage}`;

/** In the order in which the ids were given. */
export const summariesSql = `${summary} FROM json_each(?) page CROSS JOIN presets p ON p.id = page.value
  CROSS JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version
  ORDER BY page.key`;

export const listBySlugSql = `SELECT ${presetColumns}, ${labels} FROM presets p
  WHERE p.workspace_id = ? AND p.slug > ?
    AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = p.workspace_id AND w.organization_id = ? AND w.deleted_at IS NULL)
  ORDER BY p.slug LIMIT ?`;

export const versionsSql = `SELECT ${versionColumns} FROM preset_versions v
  WHERE v.preset_id = ? AND v.version > ? AND v.version <= ? ORDER BY v.version`;

export const authoredVersionsSql = `SELECT ${versionColumns}, u.email AS creator_email
  FROM preset_versions v LEFT JOIN users u ON u.id = v.creator_id
  WHERE v.preset_id = ? AND v.version > ? AND v.version <= ? ORDER BY v.version`;

/** Of presets given as a list of id, revision and designated number. */
export const overviewsSql = `SELECT v.preset_id, e.actor_id, u.email AS actor_email,
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
  LEFT JOIN users u ON u.id = e.actor_id`;

/** Configs can be long, and while SQLite looks into them nobody else has a turn. */
const overviewsAtOnce = 16;

export const eventsSql = `SELECT e.id, e.number, e.kind, e.actor_id, u.email AS actor_email, e.key_label, e.before, e.after,
    e.created_at
  FROM audit_events e LEFT JOIN users u ON u.id = e.actor_id
  WHERE e.preset_id = ? AND e.number > ? AND e.number <= ? ORDER BY e.number DESC`;

export interface PresetReads {
  find(address: PresetAddress): Preset | undefined;
  state(address: PresetAddress): PresetState | undefined;
  versions(presetId: string, page: Page): readonly PresetVersion[];
  /** The same for those outside of a transaction. */
  readonly port: Omit<PresetStore, 'createVersion' | 'change'>;
}

export function prepareReads(database: DatabaseSync): PresetReads {
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

function prepareList(database: DatabaseSync): PresetStore['list'] {
  const findWorkspace = database.prepare(findWorkspaceSql);
  const countPresets = prepare<{ status: PresetStatus; presets: number }>(database, countPresetsSql);
  const ways = {
    one: prepareWays(database, 'one'),
    three: prepareWays(database, 'three'),
  };

  return async ({ workspaceId, organizationId }, { statuses, words }, page) => {
    const counts = read(() => {
      if (findWorkspace.get(workspaceId, organizationId) === undefined) return undefined;
      const [one = null, two = null, three = null] = statuses;
      return countPresets(workspaceId, one, two, three);
    });
    if (counts === undefined) return undefined;
    const totalCount = counts.reduce((sum, { presets }) => sum + presets, 0);
    const [one, two = null, three = null] = counts.map(({ status }) => status);
    // Going past the end would walk over every preset.
    if (one === undefined || (words === undefined && page.offset >= totalCount))
      return { presets: [], totalCount: words === undefined ? totalCount : 0, isTotalExact: true };
    const { list, search } = ways[two === null ? 'one' : 'three'];
    const scope = [workspaceId, one, two, three] as const;
    if (words !== undefined) return search(scope, words, page);
    return { presets: await list(scope, page), totalCount, isTotalExact: true };
  };
}

type Scope = readonly [workspaceId: string, ...statuses: (PresetStatus | null)[]];

/** To list and to search presets of one status or of three. */
function prepareWays(database: DatabaseSync, statuses: Statuses) {
  const page = prepare<SummaryRow>(database, listPresetsSql(statuses));
  const walked = prepare<PresetPlace>(database, walkedSql(statuses));
  const walk = prepare<PresetPlace>(database, walkSql(statuses));
  const countWords = prepareWordCounts(database, presetWords);
  const countFound = database.prepare(countFoundSql);
  const lookUp = prepare<FoundRow>(database, searchPresetsSql);
  const summaries = prepare<SummaryRow>(database, summariesSql);
  const endOf = (scope: Scope, { updated_at, id }: PresetPlace) =>
    read(() => walked(...scope, updated_at, id)[0]);

  return {
    async list(scope: Scope, { offset, limit }: Page): Promise<readonly PresetSummary[]> {
      const skipped = await skipAhead(offset, walkedAtOnce, listStart, (after) => endOf(scope, after));
      if (skipped === undefined) return [];
      const { after, rest } = skipped;
      return read(() => page(...scope, after.updated_at, after.id, limit, rest).map(toSummary));
    },

    async search(scope: Scope, words: readonly string[], { offset, limit }: Page): Promise<PresetPage> {
      const [rarest, ...others] = read(() => countWords(scope[0], words));
      if (rarest === undefined) return { presets: [], totalCount: 0, isTotalExact: true };
      const wanted = [rarest.word, JSON.stringify(others.map(({ word }) => word))];
      if (rarest.hits <= countedHitsMax) {
        return read(() => {
          const rows = lookUp(...scope, ...wanted, limit, offset);
          const totalCount = rows[0]?.found ?? Number(countFound.get(...scope, ...wanted)?.presets);
          return { presets: rows.map(toSummary), totalCount, isTotalExact: true };
        });
      }
      const steps: WalkSteps<PresetPlace> = {
        matches: ({ updated_at, id } = listStart, most) =>
          read(() => walk(...scope, updated_at, id, ...wanted, most)),
        end: (after = listStart) => endOf(scope, after),
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
    for (let start = 0; start < presets.length; start += overviewsAtOnce) {
      if (start > 0) await yieldToEventLoop();
      const part = presets.slice(start, start + overviewsAtOnce);
      const page = part.map(({ id, revision, designatedNumber }) => [id, revision, designatedNumber]);
      rows.push(...read(() => overviews(JSON.stringify(page))));
    }
    return toOverviews(presets, rows);
  };
}

/** The caller knows what the columns hold. */
function prepare<Row>(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => Row[] {
  const statement = database.prepare(sql);
  return (...values) => statement.all(...values) as unknown as Row[];
}
