import { PresetdError } from '../core/errors.ts';
import type { Preset, PresetVersion } from '../core/presets/preset.ts';
import type { IdempotencyKey } from '../core/presets/preset-storage.ts';

/**
 * Idempotency keys, as far as both engines share them: what is stored with a key and when it is
 * reused.
 *
 * A row holds the hash of the request and the preset as the first response returned it. Versions
 * never change, so the row refers to the designated version instead of copying its config.
 */
export function serializeResponse({ designatedVersion: _version, ...record }: Preset): string {
  return JSON.stringify(record);
}

/** Restores the response that was stored with a key. */
export function deserializeResponse(response: string, version: PresetVersion): Preset {
  return { ...(JSON.parse(response) as Omit<Preset, 'designatedVersion'>), designatedVersion: version };
}

/** Throws `conflict` when a key comes with a different request than the first time. */
export function assertSameRequest(idempotencyKey: IdempotencyKey, requestHash: string): void {
  if (requestHash === idempotencyKey.requestHash) return;
  throw new PresetdError(
    'conflict',
    `The Idempotency-Key "${idempotencyKey.key}" was already used for a different request in the last 24 hours. Use a new key.`,
  );
}

/**
 * Each write deletes up to this many expired keys. More than one, so that the table shrinks after a
 * burst; few, so that no write pays for a large clean-up. No background job is needed.
 */
export const expiredKeysDeletedPerWrite = 8;
