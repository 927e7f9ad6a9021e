import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Page } from '../../core/organization.ts';
import type {
  Preset,
  PresetAddress,
  PresetState,
  PresetVersion,
  WorkspaceAddress,
} from '../../core/preset.ts';
import type { PresetFilter, PresetStore } from '../../core/storage.ts';
import { nextTurn } from '../../core/version-stream.ts';
import {
  type AuthoredVersionRow,
  countedHitsMax,
  type DesignatedRow,
  designatedVersionColumns,
  type EventRow,
  type OverviewRow,
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
import { read } from './errors.ts';
import { findWorkspaceSql } from './find-workspace.ts';

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

const ofStatus = 'SELECT id, updated_at FROM presets WHERE workspace_id = ?1 AND status =';

export const countPresetsSql =
  'SELECT sum(presets) AS presets FROM preset_counts WHERE workspace_id = ?1 AND status IN (?2, ?3, ?4)';

/** Each status in the order of its index; the merge of three is in order without sorting. */
export const listPresetsSql = `${summary}
  FROM (
    ${ofStatus} ?2 UNION ALL ${ofStatus} ?3 UNION ALL ${ofStatus} ?4
    ORDER BY updated_at DESC, id DESC LIMIT ?5 OFFSET ?6
  ) page ${ofPage}`;

/** How many presets a word leads to; more than that is many. */
export const countWordSql = `SELECT count(*) AS hits FROM (
    SELECT 1 FROM preset_words WHERE workspace_id = ?1 AND word >= ?2 AND word < ?2 || char(1114111)
    LIMIT ${countedHitsMax}
  )`;

/** The first word is looked up in the index, the others on the presets it leads to. */
const found = `FROM (
    SELECT DISTINCT preset_id FROM preset_words
    WHERE workspace_id = ?1 AND word >= ?5 AND word < ?5 || char(1114111)
  ) hit JOIN presets p ON p.id = hit.preset_id
  WHERE p.status IN (?2, ?3, ?4) AND NOT EXISTS (
    SELECT 1 FROM json_each(?6) wanted WHERE NOT EXISTS (
      SELECT 1 FROM preset_words w
      WHERE w.preset_id = p.id AND w.word >= wanted.value AND w.word < wanted.value || char(1114111)
    )
  )`;

export const countFoundSql = `SELECT count(*) AS presets ${found}`;

export const searchPresetsSql = `${summary}
  FROM (SELECT p.id, p.updated_at ${found} ORDER BY p.updated_at DESC, p.id DESC LIMIT ?7 OFFSET ?8) page
  ${ofPage}`;

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
      list: async (workspace, filter, page) => read(() => list(workspace, filter, page)),
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

function prepareList(database: DatabaseSync) {
  const findWorkspace = database.prepare(findWorkspaceSql);
  const count = database.prepare(countPresetsSql);
  const page = prepare<SummaryRow>(database, listPresetsSql);
  const countWord = database.prepare(countWordSql);
  const countFound = database.prepare(countFoundSql);
  const search = prepare<SummaryRow>(database, searchPresetsSql);

  function rarestFirst(workspaceId: string, words: readonly string[]): readonly string[] {
    if (words.length < 2) return words;
    const hits = new Map(words.map((word) => [word, Number(countWord.get(workspaceId, word)?.hits)]));
    return words.toSorted((one, other) => (hits.get(one) ?? 0) - (hits.get(other) ?? 0));
  }

  return ({ workspaceId, organizationId }: WorkspaceAddress, { statuses, words }: PresetFilter, at: Page) => {
    if (findWorkspace.get(workspaceId, organizationId) === undefined) return undefined;
    const [one = null, two = null, three = null] = statuses;
    const scope = [workspaceId, one, two, three];
    if (words === undefined) {
      const totalCount = Number(count.get(...scope)?.presets ?? 0);
      // Going past the end would walk over every preset.
      if (at.offset >= totalCount) return { presets: [], totalCount };
      return { presets: page(...scope, at.limit, at.offset).map(toSummary), totalCount };
    }
    const [first, ...others] = rarestFirst(workspaceId, words);
    if (first === undefined) return { presets: [], totalCount: 0 };
    const wanted = [...scope, first, JSON.stringify(others)];
    const totalCount = Number(countFound.get(...wanted)?.presets);
    if (at.offset >= totalCount) return { presets: [], totalCount };
    return { presets: search(...wanted, at.limit, at.offset).map(toSummary), totalCount };
  };
}

function prepareOverviews(database: DatabaseSync): PresetStore['overviews'] {
  const overviews = prepare<OverviewRow>(database, overviewsSql);
  return async (presets) => {
    const rows: OverviewRow[] = [];
    for (let start = 0; start < presets.length; start += overviewsAtOnce) {
      if (start > 0) await nextTurn();
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
