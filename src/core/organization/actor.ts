import type { Clock } from '../clock.ts';
import type { Author } from '../event.ts';
import type { Caller } from './caller.ts';
import { requireUsableKey, requireUsableSession } from './usable-caller.ts';
import { authorOf } from './workspace-access.ts';

/**
 * The author of a change. A change can wait for others, and the caller can lose access
 * meanwhile, so stores check the authorization again inside the transaction.
 */
export interface Actor extends Author {
  /** Absent for trusted callers such as the command line on the database itself. */
  readonly authorization?: {
    readonly kind: 'key' | 'session';
    readonly secretHash: string;
    /**
     * Throws if the key or session, as it is now, does not allow the change. Gets `undefined` for
     * one that was deleted.
     */
    readonly assertStillAuthorized: (current: Caller | undefined) => void;
  };
}

/**
 * Describes the caller of a change for the stores. They look up the caller again inside the
 * transaction and call `assertAuthorized` with it, because the caller can lose access while the
 * change waits for others.
 */
export function actorFrom(caller: Caller, clock: Clock, assertAuthorized: (current: Caller) => void): Actor {
  return {
    ...authorOf(caller),
    authorization: {
      kind: caller.kind === 'session' ? 'session' : 'key',
      secretHash: caller.secretHash,
      assertStillAuthorized: (current) => assertAuthorized(requireStillUsable(caller, current, clock)),
    },
  };
}

/** A session that was in use a moment ago has not become idle, so only its end is checked again. */
function requireStillUsable(caller: Caller, current: Caller | undefined, clock: Clock): Caller {
  if (caller.kind === 'session')
    return requireUsableSession(
      current?.kind === 'session' ? current : undefined,
      clock,
      Number.POSITIVE_INFINITY,
    );
  return requireUsableKey(current?.kind === 'session' ? undefined : current, clock);
}
