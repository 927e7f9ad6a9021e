import type { PresetCallStore } from '../core/presets/preset-storage.ts';
import type { Database } from './database.ts';
import { statement } from './statement.ts';

export function presetCallStore(database: Database): PresetCallStore {
  return {
    async lastCalledAt(presetId) {
      const [row] = await database.query(lastCall, [presetId]);
      return row?.at;
    },
    async recordLastUses(uses) {
      // Sorted, so that two servers that note the same presets lock them in the same order.
      const calls = [...uses].map(([id, at]) => ({ id, at })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      await database.write(noteCalls, [calls]);
    },
  };
}

const lastCall = statement<{ readonly at: string }>(
  'last-call',
  'SELECT last_called_at AS at FROM preset_calls WHERE preset_id = $1',
);

const noteCalls = statement(
  'note-calls',
  ({ rows, joinOne }) => `INSERT INTO preset_calls AS known (preset_id, last_called_at)
    SELECT p.id, called.at FROM ${rows('$1', { id: 'uuid', at: 'timestamptz' })} called
    ${joinOne('presets p', 'p.id = called.id')} WHERE true
    ON CONFLICT (preset_id) DO UPDATE SET last_called_at = excluded.last_called_at
    WHERE excluded.last_called_at > known.last_called_at`,
);
