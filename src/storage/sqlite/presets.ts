import type { DatabaseSync } from 'node:sqlite';
import type { PresetStore } from '../../core/storage.ts';
import { prepareChange } from './change-preset.ts';
import { prepareCreate } from './create-version.ts';
import { prepareReads } from './read-presets.ts';
import type { WriteQueue } from './write-queue.ts';

export function sqlitePresets(database: DatabaseSync, queue: WriteQueue): PresetStore {
  const reads = prepareReads(database);
  const create = prepareCreate(database);
  const change = prepareChange(database, reads);
  return {
    ...reads.port,
    createVersion: (version) => queue.write(() => create(version)),
    change: (address, author, decide, once) => queue.write(() => change(address, author, decide, once)),
  };
}
