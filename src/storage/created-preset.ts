import type { Preset, PresetStatus } from '../core/preset.ts';
import type { NewVersion } from '../core/storage.ts';

/** What the database knows of a preset to which a version was just added. */
export interface PresetRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: PresetStatus;
  readonly status_updated_at: string | null;
  readonly creator_user_id: string;
  readonly created_at: string;
}

/** The preset as it was right after this version, whatever came in the same commit. */
export function createdPreset(version: NewVersion, preset: PresetRow, number: number): Preset {
  const { versionId, dialect, configJson, systemPrompt, creatorId, createdAt } = version;
  return {
    id: preset.id,
    workspaceId: version.workspaceId,
    slug: version.slug,
    name: preset.name,
    description: preset.description,
    status: preset.status,
    statusUpdatedAt: preset.status_updated_at,
    creatorUserId: preset.creator_user_id,
    createdAt: preset.created_at,
    updatedAt: createdAt,
    designatedVersion: {
      id: versionId,
      presetId: preset.id,
      version: number,
      dialect,
      configJson,
      systemPrompt,
      creatorId,
      createdAt,
    },
  };
}
