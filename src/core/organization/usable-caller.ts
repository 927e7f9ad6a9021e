import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import type { ResolvedKey, ResolvedSession } from './caller.ts';

/**
 * Returns the key as a caller if it may be used now; throws `unauthenticated` or `forbidden`
 * otherwise.
 */
export function requireUsableKey(key: ResolvedKey | undefined, clock: Clock): ResolvedKey {
  if (key === undefined) {
    throw new PresetdError(
      'unauthenticated',
      'Unknown API key. Check that it is complete and belongs to this server.',
    );
  }
  // Checked before `disabled`: removing a member also disables their keys, but that message would
  // hide the reason.
  if (key.organizationId !== null && key.ownerRole === null) {
    throw new PresetdError(
      'forbidden',
      `The owner of the key ${key.label} is no longer a member of the organization.`,
    );
  }
  if (key.isOwnerDeactivated) {
    throw new PresetdError('forbidden', `The owner of the key ${key.label} is deactivated. Use another key.`);
  }
  if (key.disabled) {
    throw new PresetdError(
      'unauthenticated',
      `The key ${key.label} is disabled. Ask an admin for a new one.`,
    );
  }
  if (key.expiresAt !== null && key.expiresAt <= clock()) {
    throw new PresetdError('unauthenticated', `The key ${key.label} expired at ${key.expiresAt}.`);
  }
  if (key.secretExpiresAt !== null && key.secretExpiresAt <= clock()) {
    throw new PresetdError(
      'unauthenticated',
      `This secret of the key ${key.label} was rotated and has expired. Use the new secret.`,
    );
  }
  return key;
}

/**
 * Returns the session if it may be used now; throws `unauthenticated` or `forbidden` otherwise.
 */
export function requireUsableSession(
  session: ResolvedSession | undefined,
  clock: Clock,
  idleMs: number,
): ResolvedSession {
  const now = clock();
  const isOver =
    session === undefined ||
    session.expiresAt <= now ||
    Date.parse(session.lastUsedAt) + idleMs <= Date.parse(now);
  if (isOver) throw new PresetdError('unauthenticated', 'Your session has ended. Sign in again.');
  if (session.ownerRole === null)
    throw new PresetdError('forbidden', 'You are no longer a member of the organization.');
  if (session.isOwnerDeactivated)
    throw new PresetdError('forbidden', 'Your account is deactivated. Ask an admin to reactivate it.');
  return session;
}
