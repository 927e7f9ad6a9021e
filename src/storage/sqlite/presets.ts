import type { DatabaseSync } from 'node:sqlite';
import { archivedPreset, unknownWorkspace } from '../../core/create-version.ts';
import type { Preset } from '../../core/preset.ts';
import type { NewVersion, PresetStore } from '../../core/storage.ts';
import { createdPreset, type PresetRow } from '../created-preset.ts';
import type { WriteQueue } from './write-queue.ts';

export function sqlitePresets(database: DatabaseSync, queue: WriteQueue): PresetStore {
  const findWorkspace = database.prepare('SELECT 1 FROM workspaces WHERE id = ? AND organization_id = ?');
  const upsertPreset = database.prepare(
    `INSERT INTO presets (
       id, workspace_id, slug, name, status, latest_version, designated_version, creator_user_id, created_at, updated_at
     ) VALUES (?, ?, ?, ?, 'active', 1, 1, ?, ?, ?)
     ON CONFLICT (workspace_id, slug) DO UPDATE SET
       latest_version = latest_version + 1,
       designated_version = latest_version + 1,
       updated_at = excluded.updated_at
     WHERE status <> 'archived'
     RETURNING id, name, description, status, status_updated_at, latest_version, creator_user_id, created_at`,
  );
  const insertVersion = database.prepare(
    `INSERT INTO preset_versions (id, preset_id, version, dialect, config, system_prompt, creator_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  function createVersion(version: NewVersion): Preset {
    const { workspaceId, slug, creatorId, createdAt, configJson, systemPrompt } = version;
    if (findWorkspace.get(workspaceId, version.organizationId) === undefined)
      throw unknownWorkspace(workspaceId);
    const row = upsertPreset.get(version.presetId, workspaceId, slug, slug, creatorId, createdAt, createdAt);
    if (row === undefined) throw archivedPreset(slug);
    const preset = row as unknown as PresetRow & { readonly latest_version: number };
    const number = preset.latest_version;
    const { versionId, dialect } = version;
    insertVersion.run(versionId, preset.id, number, dialect, configJson, systemPrompt, creatorId, createdAt);
    return createdPreset(version, preset, number);
  }

  return { createVersion: (version) => queue.write(() => createVersion(version)) };
}
