import { PresetdError } from '../core/errors.ts';
import type { Preset } from '../core/presets/preset.ts';
import type { IdempotencyKey } from '../core/presets/preset-storage.ts';
import { LostRace, type Query } from './database.ts';
import { versionsStatement } from './read-presets.ts';
import { fields, json, select } from './select.ts';
import { statement } from './statement.ts';

/**
 * Claims an idempotency key for this transaction. Returns the stored response if the key was used
 * before, undefined if the caller should make the change. Throws `conflict` when the key was used
 * for a different request.
 *
 * A claim inserts the key's row before the change, and `saveResponse` completes it in the same
 * transaction. A concurrent request with the same key therefore waits until this one commits and
 * then finds its response, or claims the key itself after a rollback. A key expires after 24 hours
 * and can then be claimed again.
 */
export async function claimIdempotencyKey(
  query: Query,
  workspaceId: string,
  { key, requestHash, at, expiredBefore }: IdempotencyKey,
): Promise<Preset | undefined> {
  // Blocks while another transaction holds the same key.
  if ((await query(claimKey, [workspaceId, key, requestHash, at, expiredBefore])).length > 0)
    return undefined;
  const [row] = await query(findResponse, [workspaceId, key]);
  if (row === undefined) throw new LostRace();
  if (row.requestHash !== requestHash)
    throw new PresetdError(
      'conflict',
      `The Idempotency-Key "${key}" was already used for a different request in the last 24 hours. Use a new key.`,
    );
  const range = [row.presetId, row.version - 1, row.version];
  const [designatedVersion] = await query(versionsStatement, range);
  if (designatedVersion === undefined) throw new Error('an idempotency key refers to a missing version');
  return { ...row.answer, designatedVersion };
}

/**
 * Completes the claim with the response, or releases the key when there is nothing to respond with.
 * Versions never change, so the row refers to the designated version instead of copying its config.
 * Also deletes a few expired keys, after the claim and skipping locked rows: a transaction that
 * waits for a key must not hold others, or two could deadlock.
 */
export async function saveResponse(
  query: Query,
  workspaceId: string,
  { key, expiredBefore }: IdempotencyKey,
  preset: Preset | undefined,
): Promise<void> {
  await query(deleteExpiredKeys, [expiredBefore]);
  if (preset === undefined) {
    await query(releaseKey, [workspaceId, key]);
    return;
  }
  const { designatedVersion, ...record } = preset;
  await query(updateResponse, [workspaceId, key, record, preset.id, designatedVersion.version]);
}

/**
 * Each write deletes up to eight expired keys. More than one, so that the table shrinks after a
 * burst; few, so that no write pays for a large clean-up. No background job is needed.
 */
const deleteExpiredKeys = statement(
  'delete-expired-idempotency-keys',
  ({ skipLocked }) => `DELETE FROM idempotency_keys WHERE (workspace_id, key) IN (
     SELECT workspace_id, key FROM idempotency_keys k WHERE created_at < $1 ORDER BY created_at
     LIMIT 8 ${skipLocked('k')}
   )`,
);

/** On SQLite, the columns of the response cannot be null. */
const claimKey = statement(
  'claim-idempotency-key',
  `INSERT INTO idempotency_keys AS k (workspace_id, key, request_hash, created_at, answer, preset_id, version)
   VALUES ($1, $2, $3, $4, '{}', '00000000-0000-0000-0000-000000000000', 0)
   ON CONFLICT (workspace_id, key) DO UPDATE SET request_hash = excluded.request_hash, created_at = excluded.created_at
   WHERE k.created_at < $5
   RETURNING key`,
);

const releaseKey = statement(
  'release-idempotency-key',
  'DELETE FROM idempotency_keys WHERE workspace_id = $1 AND key = $2',
);

const findResponse = select<{
  readonly requestHash: string;
  /** The preset as the first response returned it, without its version. */
  readonly answer: Omit<Preset, 'designatedVersion'>;
  readonly presetId: string;
  readonly version: number;
}>(
  'find-idempotent-response',
  { ...fields('k', 'requestHash', 'presetId', 'version'), answer: json('k.answer') },
  `FROM idempotency_keys k WHERE k.workspace_id = $1 AND k.key = $2`,
);

const updateResponse = statement(
  'save-idempotent-response',
  'UPDATE idempotency_keys SET answer = $3, preset_id = $4, version = $5 WHERE workspace_id = $1 AND key = $2',
);
