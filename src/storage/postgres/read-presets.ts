import type { QueryResultRow } from 'pg';
import type { Page } from '../../core/page.ts';
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
import { walkForPage } from '../walk-list.ts';
import {
  countedHitsMax,
  presetNames,
  presetWords,
  searchTerms,
  type WordHits,
  type WordIndex,
} from '../word-index.ts';
import type { PostgresConnection } from './connection.ts';
import { presetIdByName } from './preset-names.ts';
import { type Statement, statement } from './statement.ts';
import { countWordsStatement, hasWords, joinWord, selectHits } from './word-search.ts';

/**
 * The columns of a preset's state. Tags, labels and aliases of a preset `p` are one JSON column
 * each, so that it is still one row.
 */
const stateColumns = `${presetColumns}, (
    SELECT coalesce(json_agg(t.tag ORDER BY t.tag), '[]') FROM preset_tags t WHERE t.preset_id = p.id
  ) AS tags, (
    SELECT coalesce(json_agg(json_build_array(l.label, l.version, l.updated_at) ORDER BY l.label), '[]')
    FROM preset_labels l WHERE l.preset_id = p.id
  ) AS labels, (
    SELECT coalesce(json_agg(json_build_array(a.alias, a.created_at) ORDER BY a.alias), '[]')
    FROM preset_aliases a WHERE a.preset_id = p.id
  ) AS aliases`;

/** Limits a query to one preset. A preset in a deleted workspace does not exist. */
const whereAddress = `WHERE p.id = ${presetIdByName}
  AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = $1 AND w.organization_id = $3 AND w.deleted_at IS NULL)`;

export const findPresetStatement = statement(
  'find-preset',
  `SELECT ${presetColumns}, ${designatedVersionColumns}
    FROM presets p CROSS JOIN LATERAL (
      SELECT * FROM preset_versions WHERE preset_id = p.id AND version = p.designated_version LIMIT 1
    ) v ${whereAddress}`,
);

export const presetStateStatement = statement(
  'preset-state',
  `SELECT ${stateColumns} FROM presets p ${whereAddress}`,
);

/** Joins the rows of a page of ids. The outer query restores the order. */
const joinPage = `CROSS JOIN LATERAL (SELECT * FROM presets WHERE id = page.id LIMIT 1) p
  CROSS JOIN LATERAL (
    SELECT id AS version_id FROM preset_versions
    WHERE preset_id = p.id AND version = p.designated_version LIMIT 1
  ) v`;

/** The presets of one status, in the order of the index. */
const ofStatus = (status: string, more = '') => `(
    SELECT id, updated_at FROM presets WHERE workspace_id = $1 AND status = ${status} ${more}
    ORDER BY updated_at DESC, id DESC
  )`;

/**
 * The presets of up to three statuses, newest update first. The index orders each status, so
 * merging them needs no sorting.
 */
const merged = (more = '') => `SELECT id, updated_at FROM (
    ${ofStatus('$2', more)} UNION ALL ${ofStatus('$3', more)} UNION ALL ${ofStatus('$4', more)}
  ) merged ORDER BY updated_at DESC, id DESC`;

const listPresetsStatement = statement(
  'list-presets',
  `SELECT ${stateColumns}, v.version_id
    FROM (${merged()} LIMIT $5 OFFSET $6) page ${joinPage}
    ORDER BY page.updated_at DESC, page.id DESC`,
);

/** Triggers maintain the counts. No row when the workspace does not exist. */
const countPresetsStatement = statement(
  'count-presets',
  `SELECT (
      SELECT coalesce(sum(presets), 0) FROM preset_counts WHERE workspace_id = w.id AND status IN ($2, $3, $4)
    ) AS presets
    FROM workspaces w WHERE w.id = $1 AND w.organization_id = $5 AND w.deleted_at IS NULL`,
);

const countPresetWords = countWordsStatement(presetWords);

/** Looks up the first word in the index, and checks the others on the presets that it leads to. */
const found = `(
    SELECT p.id, p.updated_at FROM (${selectHits(presetWords, '$5')}) hit
    CROSS JOIN LATERAL (SELECT id, updated_at, status FROM presets WHERE id = hit.preset_id LIMIT 1) p
    WHERE p.status IN ($2, $3, $4) AND ${hasWords(presetWords, '$6')}
  )`;

const countFoundStatement = statement(
  'count-found-presets',
  `SELECT count(*) AS presets FROM ${found} found`,
);

const searchPresetsStatement = statement(
  'search-presets',
  `WITH found AS MATERIALIZED ${found}
    SELECT ${stateColumns}, v.version_id, (SELECT count(*) FROM found) AS found
    FROM (SELECT * FROM found ORDER BY updated_at DESC, id DESC LIMIT $7 OFFSET $8) page ${joinPage}
    ORDER BY page.updated_at DESC, page.id DESC`,
);

/** A statement over this many presets takes a few milliseconds, far below its timeout. */
const chunkPresets = 2_000;

const presetsAfter = merged('AND (updated_at, id) < ($5, $6)');

const walkStatement = (name: string, index: WordIndex) =>
  statement(
    name,
    `SELECT p.id, p.updated_at FROM (${presetsAfter} LIMIT ${chunkPresets}) p
    ${joinWord(index, '$7')}
    WHERE ${hasWords(index, '$8')}
    ORDER BY p.updated_at DESC, p.id DESC LIMIT $9`,
  );

const walkContentsStatement = walkStatement('walk-presets', presetWords);
const walkNamesStatement = walkStatement('walk-preset-names', presetNames);

/** The last position of the chunk after a position. */
const presetChunkEndStatement = statement(
  'preset-chunk-end',
  `${presetsAfter} LIMIT 1 OFFSET ${chunkPresets - 1}`,
);

/** Sorts after every preset: lists run from newest to oldest. */
const listStart: PresetPosition = { updated_at: 'infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Summaries of presets by id, in the order of the ids. */
const summariesStatement = statement(
  'preset-summaries',
  `SELECT ${stateColumns}, v.version_id
    FROM unnest($1::uuid[]) WITH ORDINALITY AS page (id, place) ${joinPage} ORDER BY page.place`,
);

const listBySlugStatement = statement(
  'list-presets-by-slug',
  `SELECT ${stateColumns} FROM presets p
    WHERE p.workspace_id = $1 AND p.slug > $2
      AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = $1 AND w.organization_id = $3 AND w.deleted_at IS NULL)
    ORDER BY p.slug LIMIT $4`,
);

export const versionsStatement = statement(
  'preset-versions',
  `SELECT ${versionColumns} FROM preset_versions v
    WHERE v.preset_id = $1 AND v.version > $2 AND v.version <= $3 ORDER BY v.version`,
);

const authoredVersionsStatement = statement(
  'authored-preset-versions',
  `SELECT ${versionColumns}, u.email AS creator_email
    FROM preset_versions v LEFT JOIN LATERAL (SELECT email FROM users WHERE id = v.creator_id LIMIT 1) u ON true
    WHERE v.preset_id = $1 AND v.version > $2 AND v.version <= $3 ORDER BY v.version`,
);

/**
 * Overviews of presets that are given by id, revision and designated version. Each config is parsed
 * once and not sent to us.
 */
const overviewsStatement = statement(
  'preset-overviews',
  `SELECT page.preset_id, e.actor_id, u.email AS actor_email,
      left(CASE json_typeof(v.model) WHEN 'string' THEN v.model #>> '{}' ELSE (
        SELECT listed.value #>> '{}'
        FROM json_array_elements(CASE json_typeof(v.models) WHEN 'array' THEN v.models ELSE '[]' END)
          WITH ORDINALITY AS listed (value, place)
        WHERE json_typeof(listed.value) = 'string' ORDER BY listed.place LIMIT 1
      ) END, ${shownModelCharactersMax}) AS model
    FROM unnest($1::uuid[], $2::integer[], $3::integer[]) AS page (preset_id, revision, version)
    CROSS JOIN LATERAL (
      SELECT kept.model, kept.models
      FROM preset_versions stored CROSS JOIN LATERAL json_to_record(stored.config) AS kept (model json, models json)
      WHERE stored.preset_id = page.preset_id AND stored.version = page.version LIMIT 1
    ) v
    CROSS JOIN LATERAL (
      SELECT actor_id FROM audit_events WHERE preset_id = page.preset_id AND number = page.revision LIMIT 1
    ) e
    LEFT JOIN LATERAL (SELECT email FROM users WHERE id = e.actor_id LIMIT 1) u ON true`,
);

const eventsStatement = statement(
  'preset-events',
  `SELECT e.id, e.number, e.kind, e.actor_id, u.email AS actor_email, e.key_label, e.before, e.after, e.created_at
    FROM audit_events e LEFT JOIN LATERAL (SELECT email FROM users WHERE id = e.actor_id LIMIT 1) u ON true
    WHERE e.preset_id = $1 AND e.number > $2 AND e.number <= $3 ORDER BY e.number DESC`,
);

/** The read methods of the preset store. */
export function presetReads(
  connection: PostgresConnection,
): Omit<PresetStore, 'createVersion' | 'change' | 'index'> {
  /** A page of a search with a rare word, counted exactly. */
  async function lookUp(terms: readonly unknown[], { limit, offset }: Page): Promise<PresetPage> {
    const rows = await connection.query<FoundRow>(searchPresetsStatement, [...terms, limit, offset]);
    const presets = rows.map(toSummary);
    if (rows[0] !== undefined) return { presets, totalCount: rows[0].found, isTotalExact: true };
    const [counts] = await connection.query<{ presets: number }>(countFoundStatement, terms);
    return { presets, totalCount: Number(counts?.presets), isTotalExact: true };
  }

  /** A page of a search whose words are all common, counted only up to the page. */
  async function walk(
    statement: Statement,
    scope: readonly unknown[],
    terms: readonly unknown[],
    page: Page,
  ): Promise<PresetPage> {
    const { ids, ...count } = await walkForPage<PresetPosition>(
      {
        matches: (after = listStart, limit) =>
          connection.query<PresetPosition & QueryResultRow>(statement, [
            ...[...scope, after.updated_at, after.id, ...terms, limit],
          ]),
        async chunkEnd(after = listStart) {
          const values = [...scope, after.updated_at, after.id];
          return (
            await connection.query<PresetPosition & QueryResultRow>(presetChunkEndStatement, values)
          )[0];
        },
      },
      page,
    );
    const rows = await connection.query<SummaryRow>(summariesStatement, [ids]);
    return { presets: rows.map(toSummary), ...count };
  }

  return {
    async find({ workspaceId, slug, organizationId }) {
      const values = [workspaceId, slug, organizationId];
      return (await connection.query<DesignatedRow>(findPresetStatement, values)).map(toPreset)[0];
    },
    async state({ workspaceId, slug, organizationId }) {
      const values = [workspaceId, slug, organizationId];
      return (await connection.query<StateRow>(presetStateStatement, values)).map(toState)[0];
    },
    async list({ workspaceId, organizationId }, filter, page) {
      const { offset, limit } = page;
      const searched = searchTerms(filter);
      const [one = null, two = null, three = null] = filter.statuses;
      const scope = [workspaceId, one, two, three];
      const count = { statement: countPresetsStatement, values: [...scope, organizationId] };
      const [counts] = await connection.query<{ presets: number }>(count.statement, count.values);
      if (counts === undefined) return undefined;
      if (searched === undefined) {
        const totalCount = Number(counts.presets);
        // An offset past the end would walk over every preset for nothing.
        if (offset >= totalCount) return { presets: [], totalCount, isTotalExact: true };
        const rows = await connection.query<SummaryRow>(listPresetsStatement, [...scope, limit, offset]);
        return { presets: rows.map(toSummary), totalCount, isTotalExact: true };
      }
      const hits = await connection.query<WordHits & QueryResultRow>(countPresetWords, [
        workspaceId,
        searched,
      ]);
      const [rarest, ...others] = hits;
      if (rarest === undefined) return { presets: [], totalCount: 0, isTotalExact: true };
      const terms = [rarest.word, others.map(({ word }) => word)];
      if (rarest.hits <= countedHitsMax) return lookUp([...scope, ...terms], page);
      const isInContents = hits.some(({ in_contents }) => in_contents);
      return walk(isInContents ? walkContentsStatement : walkNamesStatement, scope, terms, page);
    },
    async listBySlug({ workspaceId, organizationId }, afterSlug, limit) {
      const values = [workspaceId, afterSlug, organizationId, limit];
      return (await connection.query<StateRow>(listBySlugStatement, values)).map(toState);
    },
    async versions(presetId, { offset, limit }) {
      const values = [presetId, offset, offset + limit];
      return (await connection.query<VersionRow>(versionsStatement, values)).map(toVersion);
    },
    async authoredVersions(presetId, { offset, limit }) {
      const values = [presetId, offset, offset + limit];
      const rows = await connection.query<AuthoredVersionRow>(authoredVersionsStatement, values);
      return rows.map(toAuthoredVersion);
    },
    async overviews(presets) {
      if (presets.length === 0) return [];
      const rows = await connection.query<OverviewRow>(overviewsStatement, [
        presets.map(({ id }) => id),
        presets.map(({ revision }) => revision),
        presets.map(({ designatedNumber }) => designatedNumber),
      ]);
      return toOverviews(presets, rows);
    },
    async events({ id, revision }, { offset, limit }) {
      const values = [id, revision - offset - limit, revision - offset];
      return (await connection.query<EventRow>(eventsStatement, values)).map(toEvent);
    },
  };
}
