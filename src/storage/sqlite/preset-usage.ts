import type { DatabaseSync } from 'node:sqlite';
import type { PresetUsageStore } from '../../core/presets/preset-storage.ts';
import { read } from './errors.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

const lastCallSql = statement('last-call', 'SELECT last_called_at FROM preset_calls WHERE preset_id = ?');

/** `WHERE true` tells the parser that `ON` does not belong to the join. */
const noteCallsSql = statement(
  'note-calls',
  `INSERT INTO preset_calls (preset_id, last_called_at)
  SELECT p.id, called.value FROM json_each(?) called CROSS JOIN presets p ON p.id = called.key WHERE true
  ON CONFLICT (preset_id) DO UPDATE SET last_called_at = excluded.last_called_at
  WHERE excluded.last_called_at > last_called_at`,
);

export function sqlitePresetUsage(database: DatabaseSync, queue: WriteQueue): PresetUsageStore {
  const lastCall = database.prepare(lastCallSql);
  const noteCalls = database.prepare(noteCallsSql);
  return {
    lastCalledAt: async (presetId) =>
      read(() => lastCall.get(presetId)?.last_called_at as string | undefined),
    recordLastUses: (uses) =>
      queue.write(() => {
        noteCalls.run(JSON.stringify(Object.fromEntries(uses)));
      }),
  };
}
