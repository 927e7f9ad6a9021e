import type { DatabaseSync } from 'node:sqlite';
import type { PresetAddress, PresetState } from '../../core/presets/preset.ts';
import type { DraftStore } from '../../core/presets/preset-storage.ts';
import { type DraftRow, type DraftSummaryRow, draftColumns, toDraft, toDraftSummary } from '../draft-rows.ts';
import { type StateRow, toState } from '../preset-rows.ts';
import { prepareAssertAuthorized } from './change-organization.ts';
import { read } from './errors.ts';
import { stateSql } from './read-presets.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

const findDraftSql = statement(
  'find-draft',
  `SELECT ${draftColumns} FROM preset_drafts WHERE preset_id = ? AND user_id = ?`,
);

const listDraftsSql = statement(
  'list-drafts',
  `SELECT d.user_id, d.base_version, d.updated_at, u.email, u.first_name, u.last_name
  FROM preset_drafts d JOIN users u ON u.id = d.user_id
  WHERE d.preset_id = ? ORDER BY d.updated_at DESC, d.user_id LIMIT ? OFFSET ?`,
);

const countDraftsSql = statement(
  'count-drafts',
  'SELECT count(*) AS drafts FROM preset_drafts WHERE preset_id = ?',
);

const presetsWithDraftSql = statement(
  'presets-with-draft',
  `SELECT d.preset_id FROM json_each(?) wanted
  CROSS JOIN preset_drafts d ON d.preset_id = wanted.value AND d.user_id = ?`,
);

export function sqliteDrafts(database: DatabaseSync, queue: WriteQueue): DraftStore {
  const find = database.prepare(findDraftSql);
  const list = database.prepare(listDraftsSql);
  const count = database.prepare(countDraftsSql);
  const withDraft = database.prepare(presetsWithDraftSql);
  const store = database.prepare(
    `INSERT INTO preset_drafts (${draftColumns}, organization_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (preset_id, user_id) DO UPDATE SET text = excluded.text, dialect = excluded.dialect,
       base_version = excluded.base_version, revision = excluded.revision, updated_at = excluded.updated_at`,
  );
  const remove = database.prepare('DELETE FROM preset_drafts WHERE preset_id = ? AND user_id = ?');
  const state = database.prepare(stateSql);
  const assertAuthorized = prepareAssertAuthorized(database);
  const stateOf = ({ workspaceId, slug, organizationId }: PresetAddress): PresetState | undefined => {
    const row = state.get(workspaceId, slug, organizationId) as unknown as StateRow | undefined;
    return row && toState(row);
  };
  const draftOf = (presetId: string, userId: string) => {
    const row = find.get(presetId, userId) as unknown as DraftRow | undefined;
    return row && toDraft(row);
  };

  return {
    find: async (presetId, userId) => read(() => draftOf(presetId, userId)),
    presetsWithDraft: async (userId, presetIds) =>
      read(() => {
        const rows = withDraft.all(JSON.stringify(presetIds), userId);
        return new Set(rows.map(({ preset_id }) => String(preset_id)));
      }),
    list: async (presetId, { offset, limit }) =>
      read(() => ({
        drafts: (list.all(presetId, limit, offset) as unknown as DraftSummaryRow[]).map(toDraftSummary),
        totalCount: Number(count.get(presetId)?.drafts),
      })),
    change: (address, actor, decide) =>
      queue.write(() => {
        assertAuthorized(actor);
        const preset = stateOf(address);
        const current = preset && draftOf(preset.id, actor.userId);
        const next = decide(preset, current);
        if (next === undefined) return current;
        if (next === null) {
          if (current !== undefined) remove.run(current.presetId, current.userId);
          return undefined;
        }
        const { presetId, userId, id, text, dialect, baseVersion, revision, updatedAt } = next;
        const { organizationId } = address;
        store.run(presetId, userId, id, text, dialect, baseVersion, revision, updatedAt, organizationId);
        return next;
      }),
  };
}
