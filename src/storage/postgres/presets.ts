import { unknownWorkspace } from '../../core/organization/workspace-access.ts';
import { archivedPreset } from '../../core/presets/preset-change.ts';
import type { PresetStore } from '../../core/presets/preset-storage.ts';
import { createdPreset } from '../preset-rows.ts';
import { changePreset } from './change-preset.ts';
import type { PostgresConnection } from './connection.ts';
import type { CreateQueue } from './create-queue.ts';
import { presetReads } from './read-presets.ts';

/**
 * The preset store: creates go through the queue, other changes through transactions of their own.
 */
export function postgresPresets(
  connection: PostgresConnection,
  queue: CreateQueue,
): Omit<PresetStore, 'index'> {
  return {
    ...presetReads(connection),
    async createVersion(version) {
      const row = await queue.create(version);
      if (row === undefined) throw unknownWorkspace(version.workspaceId);
      if (row.id === null) throw archivedPreset(row.requested_slug);
      return createdPreset(version, { ...row, latest_version: row.version, revision: row.own_revision });
    },
    change: (...details) => changePreset(connection, ...details),
  };
}
