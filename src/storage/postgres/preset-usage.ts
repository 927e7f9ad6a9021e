import type { PresetUsageStore } from '../../core/presets/preset-storage.ts';
import type { PostgresConnection } from './connection.ts';
import { statement } from './statement.ts';

export function postgresPresetUsage(connection: PostgresConnection): PresetUsageStore {
  return {
    async lastCalledAt(presetId) {
      const [row] = await connection.query<{ last_called_at: string }>(lastCall, [presetId]);
      return row?.last_called_at;
    },
    async recordLastUses(uses) {
      await connection.query(noteCalls, [[...uses.keys()], [...uses.values()]]);
    },
  };
}

const lastCall = statement('last-call', 'SELECT last_called_at FROM preset_calls WHERE preset_id = $1');

/** Sorted, so that two servers that note the same presets lock them in the same order. */
const noteCalls = statement(
  'note-calls',
  `INSERT INTO preset_calls AS known (preset_id, last_called_at)
   SELECT p.id, called.at FROM unnest($1::uuid[], $2::timestamptz[]) AS called (id, at)
   CROSS JOIN LATERAL (SELECT id FROM presets WHERE id = called.id LIMIT 1) p
   ORDER BY p.id
   ON CONFLICT (preset_id) DO UPDATE SET last_called_at = excluded.last_called_at
   WHERE excluded.last_called_at > known.last_called_at`,
);
