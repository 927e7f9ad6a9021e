import type { DatabaseSync } from 'node:sqlite';
import type { Preset } from '../../core/presets/preset.ts';
import type { IdempotencyKey } from '../../core/presets/preset-storage.ts';
import {
  assertSameRequest,
  deserializeResponse,
  expiredKeysDeletedPerWrite,
  serializeResponse,
} from '../idempotency.ts';
import type { PresetReads } from './read-presets.ts';

/**
 * Stores the responses to requests with an idempotency key.
 *
 * `change-preset.ts` calls `find` before a change and `save` after it, in the same transaction. The
 * write queue runs one transaction at a time, so two requests with the same key cannot both find
 * nothing. If the change fails, the rollback leaves the key unused. A key expires after 24 hours;
 * each `save` deletes a few expired ones, so the table stays as small as a day's requests.
 */
interface IdempotencyStore {
  /**
   * The response stored for this key; undefined for a new or expired one. Throws `conflict` when
   * the key was used for a different request.
   */
  find(workspaceId: string, idempotencyKey: IdempotencyKey): Preset | undefined;
  save(workspaceId: string, idempotencyKey: IdempotencyKey, preset: Preset): void;
}

export function prepareIdempotencyStore(database: DatabaseSync, reads: PresetReads): IdempotencyStore {
  const findResponse = database.prepare(
    `SELECT request_hash, answer, preset_id, version FROM idempotency_keys
     WHERE workspace_id = ? AND key = ? AND created_at >= ?`,
  );
  const deleteExpired = database.prepare(
    `DELETE FROM idempotency_keys WHERE (workspace_id, key) IN (
       SELECT workspace_id, key FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT ${expiredKeysDeletedPerWrite}
     )`,
  );
  const upsert = database.prepare(
    `INSERT INTO idempotency_keys (workspace_id, key, request_hash, answer, preset_id, version, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, key) DO UPDATE SET request_hash = excluded.request_hash, answer = excluded.answer,
       preset_id = excluded.preset_id, version = excluded.version, created_at = excluded.created_at`,
  );
  return {
    find(workspaceId, idempotencyKey) {
      const row = findResponse.get(workspaceId, idempotencyKey.key, idempotencyKey.expiredBefore);
      if (row === undefined) return undefined;
      assertSameRequest(idempotencyKey, String(row.request_hash));
      const [version] = reads.versions(String(row.preset_id), { offset: Number(row.version) - 1, limit: 1 });
      if (version === undefined) throw new Error('an idempotency key refers to a missing version');
      return deserializeResponse(String(row.answer), version);
    },
    save(workspaceId, idempotencyKey, preset) {
      deleteExpired.run(idempotencyKey.expiredBefore);
      const { id, designatedVersion } = preset;
      upsert.run(
        workspaceId,
        idempotencyKey.key,
        idempotencyKey.requestHash,
        serializeResponse(preset),
        id,
        designatedVersion.version,
        idempotencyKey.at,
      );
    },
  };
}
