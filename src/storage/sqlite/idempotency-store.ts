import type { DatabaseSync } from 'node:sqlite';
import type { Preset } from '../../core/preset.ts';
import type { IdempotencyKey } from '../../core/storage.ts';
import { assertSameRequest, forgottenPerAnswer, recalledAnswer, rememberedAnswer } from '../idempotency.ts';
import type { PresetReads } from './read-presets.ts';

export interface Answers {
  recall(workspaceId: string, once: IdempotencyKey): Preset | undefined;
  remember(workspaceId: string, once: IdempotencyKey, preset: Preset): void;
}

export function prepareAnswers(database: DatabaseSync, reads: PresetReads): Answers {
  const find = database.prepare(
    `SELECT request_hash, answer, preset_id, version FROM idempotency_keys
     WHERE workspace_id = ? AND key = ? AND created_at >= ?`,
  );
  const forget = database.prepare(
    `DELETE FROM idempotency_keys WHERE (workspace_id, key) IN (
       SELECT workspace_id, key FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT ${forgottenPerAnswer}
     )`,
  );
  const insert = database.prepare(
    `INSERT INTO idempotency_keys (workspace_id, key, request_hash, answer, preset_id, version, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, key) DO UPDATE SET request_hash = excluded.request_hash, answer = excluded.answer,
       preset_id = excluded.preset_id, version = excluded.version, created_at = excluded.created_at`,
  );
  return {
    recall(workspaceId, once) {
      const row = find.get(workspaceId, once.key, once.expiredBefore);
      if (row === undefined) return undefined;
      assertSameRequest(once, String(row.request_hash));
      const [version] = reads.versions(String(row.preset_id), { offset: Number(row.version) - 1, limit: 1 });
      if (version === undefined) throw new Error('an answer refers to a version that is not there');
      return recalledAnswer(String(row.answer), version);
    },
    remember(workspaceId, once, preset) {
      forget.run(once.expiredBefore);
      const { id, designatedVersion } = preset;
      insert.run(
        workspaceId,
        once.key,
        once.requestHash,
        rememberedAnswer(preset),
        id,
        designatedVersion.version,
        once.at,
      );
    },
  };
}
