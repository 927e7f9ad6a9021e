import { archivedPreset, unknownWorkspace } from '../../core/create-version.ts';
import type { PresetStore } from '../../core/storage.ts';
import type { CreateQueue } from './create-queue.ts';

export function postgresPresets(queue: CreateQueue): PresetStore {
  return {
    async createVersion(version) {
      const { workspaceId, slug, creatorId, createdAt, configJson, systemPrompt } = version;
      const row = await queue.create(version);
      if (row === undefined) throw unknownWorkspace(workspaceId);
      if (row.id === null) throw archivedPreset(slug);
      return {
        id: row.id,
        workspaceId,
        slug,
        name: row.name,
        description: row.description,
        status: row.status,
        statusUpdatedAt: row.status_updated_at,
        creatorUserId: row.creator_user_id,
        createdAt: row.created_at,
        updatedAt: createdAt,
        designatedVersion: {
          id: version.versionId,
          presetId: row.id,
          version: row.version,
          dialect: version.dialect,
          configJson,
          systemPrompt,
          creatorId,
          createdAt,
        },
      };
    },
  };
}
