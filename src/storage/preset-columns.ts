import type { Aliases, Labels, PresetRecord, PresetState, PresetVersion } from '../core/presets/preset.ts';
import { type Columns, columnsOf, fields, json } from './select.ts';
import { typed } from './write-rows.ts';

/** Columns of presets and versions, which several statements select. */

/** The columns that every view of a preset reads, with the types by which they are written. */
export const recordTypes = {
  ...typed('uuid', 'id', 'workspaceId'),
  ...typed('text', 'slug', 'name', 'description', 'status', 'creatorUserId'),
  ...typed('timestamptz', 'statusUpdatedAt', 'createdAt', 'updatedAt'),
  ...typed('integer', 'latestVersion', 'revision'),
} as const;

/** RETURNING has no alias on SQLite. */
export const recordColumns = (table: 'p' | 'presets' = 'p') => columnsOf<PresetRecord>(table, recordTypes);

/**
 * Expects the preset as `p`. Its tags, labels and aliases are one JSON column each, so that it is
 * still one row.
 */
export const stateColumns: Columns<PresetState> = {
  ...recordColumns(),
  designatedNumber: 'p.designated_version',
  tags: json(
    ({ arrayOf }) => `(SELECT ${arrayOf('t.tag', 't.tag')} FROM preset_tags t WHERE t.preset_id = p.id)`,
  ),
  labels: json(
    ({ array, arrayOf }) => `(
      SELECT ${arrayOf(array('l.label', 'l.version', 'l.updated_at'), 'l.label')}
      FROM preset_labels l WHERE l.preset_id = p.id
    )`,
    toLabels,
  ),
  aliases: json(
    ({ array, arrayOf }) => `(
      SELECT ${arrayOf(array('a.alias', 'a.created_at'), 'a.alias')}
      FROM preset_aliases a WHERE a.preset_id = p.id
    )`,
    toAliases,
  ),
};

/** Expects the version as `v`. */
export const versionColumns: Columns<PresetVersion> = {
  ...fields('v', 'id', 'presetId', 'version', 'dialect', 'configJson', 'systemPrompt', 'extensionJson'),
  ...fields('v', 'creatorId', 'createdAt'),
};

function toLabels(entries: readonly [label: string, version: number, time: string][]): Labels {
  return new Map(entries.map(([label, version, time]) => [label, { version, updatedAt: isoTime(time) }]));
}

function toAliases(entries: readonly [alias: string, time: string][]): Aliases {
  return new Map(entries.map(([alias, time]) => [alias, { createdAt: isoTime(time) }]));
}

/** PostgreSQL's JSON has times in its own format. */
function isoTime(time: string): string {
  return new Date(time).toISOString();
}
