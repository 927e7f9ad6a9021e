import { PresetdError } from '../core/errors.ts';
import type { Preset, PresetVersion } from '../core/preset.ts';
import type { IdempotencyKey } from '../core/storage.ts';

/** What is remembered of an answer: the version itself never changes, so a reference to it will do. */
export function serializeResponse({ designatedVersion: _version, ...record }: Preset): string {
  return JSON.stringify(record);
}

export function deserializeResponse(response: string, version: PresetVersion): Preset {
  return { ...(JSON.parse(response) as Omit<Preset, 'designatedVersion'>), designatedVersion: version };
}

export function assertSameRequest(idempotencyKey: IdempotencyKey, requestHash: string): void {
  if (requestHash === idempotencyKey.requestHash) return;
  throw new PresetdError(
    'conflict',
    `The Idempotency-Key "${idempotencyKey.key}" was used within the last 24 hours for another request. Use a new key for a new request.`,
  );
}

/** A few of those that nobody can ask for any more go with each that comes, so that none need to be swept. */
export const expiredKeysDeletedPerWrite = 8;
