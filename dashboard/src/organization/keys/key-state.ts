import type { Key } from '../../../../src/client/organization-answers.ts';

export type KeyState = 'active' | 'expired' | 'disabled';

/**
 * Disabled takes precedence over expired: enabling such a key would not make it work, but it shows
 * why.
 */
export function keyState(
  { disabled, expires_at }: Pick<Key, 'disabled' | 'expires_at'>,
  now: number,
): KeyState {
  if (disabled) return 'disabled';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}

/** The key's type for display. */
export function keyType({ kind, read_only }: Pick<Key, 'kind' | 'read_only'>): string {
  if (kind === 'api') return 'API';
  return read_only ? 'Management (read-only)' : 'Management';
}
