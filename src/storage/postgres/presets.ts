import { archivedPreset, unknownWorkspace } from '../../core/create-version.ts';
import type { PresetStore } from '../../core/storage.ts';
import { createdPreset } from '../created-preset.ts';
import type { CreateQueue } from './create-queue.ts';

export function postgresPresets(queue: CreateQueue): PresetStore {
  return {
    async createVersion(version) {
      const row = await queue.create(version);
      if (row === undefined) throw unknownWorkspace(version.workspaceId);
      if (row.id === null) throw archivedPreset(version.slug);
      return createdPreset(version, row, row.version);
    },
  };
}
