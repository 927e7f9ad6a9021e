import type { Key } from '../../../../src/client/organization-answers.ts';

export type KeyState = 'active' | 'expired' | 'disabled';

/** A key that is disabled stays so, whether it is expired or not. */
export function keyState(
  { disabled, expires_at }: Pick<Key, 'disabled' | 'expires_at'>,
  now: number,
): KeyState {
  if (disabled) return 'disabled';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}

export function keyKind({ kind, read_only }: Pick<Key, 'kind' | 'read_only'>): string {
  if (kind === 'api') return 'API key';
  return read_only ? 'Management, read-only' : 'Management';
}
