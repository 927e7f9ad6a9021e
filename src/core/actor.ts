import { type Caller, requireUsableKey } from './authenticate.ts';
import type { Clock } from './clock.ts';
import type { Actor } from './storage.ts';
import { authorOf } from './workspace-access.ts';

/**
 * Describes the caller of a change to an organization for the stores. They look up the caller's key
 * again inside the transaction and call `assertAuthorized` with it, because the caller can lose
 * access while the change waits for others.
 */
export function actorFrom(caller: Caller, clock: Clock, assertAuthorized: (current: Caller) => void): Actor {
  return {
    ...authorOf(caller),
    authorization: {
      secretHash: caller.secretHash,
      assertStillAuthorized: (key) => assertAuthorized(requireUsableKey(key, clock)),
    },
  };
}
