import type { DatabaseSync } from 'node:sqlite';
import { unknownWorkspace } from '../../core/organization/workspace-access.ts';
import type { Preset } from '../../core/presets/preset.ts';
import { archivedPreset } from '../../core/presets/preset-change.ts';
import { versionEvent } from '../../core/presets/preset-event.ts';
import type { NewVersion } from '../../core/presets/preset-storage.ts';
import { splitWords } from '../../core/words.ts';
import { createdPreset, type PresetRow, presetColumns } from '../preset-rows.ts';
import { prepareAssertAuthorized } from './change-organization.ts';
import { presetByNameSql } from './preset-names.ts';
import { preparePresetInserts } from './store-preset.ts';
import { workspaceExistsSql } from './workspaces.ts';

/**
 * Prepares the statements that add the next version inside an open transaction. This is the hot
 * path for writes, so it does not read the whole preset: the upsert increments its numbers. Throws
 * `not_found` for an unknown workspace, `conflict` for an archived preset, and whatever the actor's
 * authorization throws.
 */
export function prepareCreateVersion(database: DatabaseSync): (version: NewVersion) => Preset {
  const assertAuthorized = prepareAssertAuthorized(database);
  const workspaceExists = database.prepare(workspaceExistsSql);
  const findBySlug = database.prepare(
    'SELECT slug, designated_version FROM presets WHERE workspace_id = ? AND slug = ?',
  );
  const findByName = database.prepare(presetByNameSql);
  const upsertPreset = database.prepare(
    `INSERT INTO presets AS p (
       id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id, created_at,
       updated_at
     ) VALUES (?, ?, ?, ?, 'active', 1, 1, 1, ?, ?, ?)
     ON CONFLICT (workspace_id, slug) DO UPDATE SET
       latest_version = latest_version + 1,
       designated_version = latest_version + 1,
       revision = revision + 1,
       updated_at = excluded.updated_at
     WHERE status <> 'archived'
     RETURNING ${presetColumns.replaceAll('p.', '')}`,
  );
  const inserts = preparePresetInserts(database);

  return (version) => {
    const { workspaceId, author, createdAt } = version;
    assertAuthorized(author);
    if (workspaceExists.get(workspaceId, version.organizationId) === undefined)
      throw unknownWorkspace(workspaceId);
    // Most creates name a preset by its slug, which is the cheaper lookup.
    const before = findBySlug.get(workspaceId, version.slug) ?? findByName.get(workspaceId, version.slug);
    const slug = before === undefined ? version.slug : String(before.slug);
    const { presetId } = version;
    const row = upsertPreset.get(presetId, workspaceId, slug, slug, author.userId, createdAt, createdAt);
    if (row === undefined) throw archivedPreset(slug);
    const preset = createdPreset(version, row as unknown as PresetRow);
    inserts.version(preset.designatedVersion);
    const designatedBefore = before === undefined ? 0 : Number(before.designated_version);
    const event = versionEvent(preset.designatedVersion, designatedBefore);
    inserts.event(version, preset.id, preset.revision, author, createdAt, event);
    if (before === undefined) inserts.words(preset.id, workspaceId, splitWords(slug));
    return preset;
  };
}
