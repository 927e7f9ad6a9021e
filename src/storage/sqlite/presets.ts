import type { DatabaseSync } from 'node:sqlite';
import type { PresetStore } from '../../core/presets/preset-storage.ts';
import { prepareChangePreset } from './change-preset.ts';
import { prepareCreateVersion } from './create-version.ts';
import { preparePresetReads } from './read-presets.ts';
import type { WriteQueue } from './write-queue.ts';

/** The preset store: reads run immediately, writes go through the queue. */
export function sqlitePresets(database: DatabaseSync, queue: WriteQueue): Omit<PresetStore, 'index'> {
  const reads = preparePresetReads(database);
  const create = prepareCreateVersion(database);
  const change = prepareChangePreset(database, reads);
  return {
    ...reads.port,
    createVersion: (version) => queue.write(() => create(version)),
    change: (...details) => queue.write(() => change(...details)),
  };
}
