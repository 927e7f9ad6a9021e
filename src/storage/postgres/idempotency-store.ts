import type { Preset } from '../../core/presets/preset.ts';
import type { IdempotencyKey } from '../../core/presets/preset-storage.ts';
import {
  assertSameRequest,
  deserializeResponse,
  expiredKeysDeletedPerWrite,
  serializeResponse,
} from '../idempotency.ts';
import { toVersion, type VersionRow } from '../preset-rows.ts';
import { LostRace, type Query } from './connection.ts';
import { versionsStatement } from './read-presets.ts';
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
  idempotencyKey: IdempotencyKey,
): Promise<Preset | undefined> {
  // Blocks while another transaction holds the same key.
  const claim = [
    workspaceId,
    idempotencyKey.key,
    idempotencyKey.requestHash,
    idempotencyKey.at,
    idempotencyKey.expiredBefore,
  ];
  if ((await query(claimKey, claim)).length > 0) return undefined;
  const [row] = await query<ResponseRow>(findResponse, [workspaceId, idempotencyKey.key]);
  if (row === undefined) throw new LostRace();
  assertSameRequest(idempotencyKey, row.request_hash);
  const range = [row.preset_id, row.version - 1, row.version];
  const [version] = (await query<VersionRow>(versionsStatement, range)).map(toVersion);
  if (version === undefined) throw new Error('an idempotency key refers to a missing version');
  return deserializeResponse(row.answer, version);
}

/**
 * Completes the claim with the response, or releases the key when there is nothing to respond with.
 * Also deletes a few expired keys, after the claim and skipping locked rows: a transaction that
 * waits for a key must not hold others, or two could deadlock.
 */
export async function saveResponse(
  query: Query,
  workspaceId: string,
  idempotencyKey: IdempotencyKey,
  preset: Preset | undefined,
): Promise<void> {
  await query(deleteExpiredKeysStatement, [idempotencyKey.expiredBefore]);
  if (preset === undefined) {
    await query(releaseKey, [workspaceId, idempotencyKey.key]);
    return;
  }
  const { id, designatedVersion } = preset;
  const values = [serializeResponse(preset), id, designatedVersion.version];
  await query(updateResponse, [workspaceId, idempotencyKey.key, ...values]);
}

/** A completed claim. */
interface ResponseRow {
  readonly request_hash: string;
  readonly answer: string;
  readonly preset_id: string;
  readonly version: number;
}

const deleteExpiredKeysStatement = statement(
  'delete-expired-idempotency-keys',
  `DELETE FROM idempotency_keys WHERE (workspace_id, key) IN (
     SELECT workspace_id, key FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at
     LIMIT ${expiredKeysDeletedPerWrite} FOR UPDATE SKIP LOCKED
   )`,
);

const claimKey = statement(
  'claim-idempotency-key',
  `INSERT INTO idempotency_keys AS k (workspace_id, key, request_hash, created_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (workspace_id, key) DO UPDATE SET request_hash = excluded.request_hash, created_at = excluded.created_at
   WHERE k.created_at < $5
   RETURNING key`,
);

const releaseKey = statement(
  'release-idempotency-key',
  'DELETE FROM idempotency_keys WHERE workspace_id = $1 AND key = $2',
);

const findResponse = statement(
  'find-idempotent-response',
  'SELECT request_hash, answer, preset_id, version FROM idempotency_keys WHERE workspace_id = $1 AND key = $2',
);

const updateResponse = statement(
  'save-idempotent-response',
  'UPDATE idempotency_keys SET answer = $3, preset_id = $4, version = $5 WHERE workspace_id = $1 AND key = $2',
);
