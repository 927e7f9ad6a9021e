import type { Clock } from './clock.ts';
import type { Caller } from './organization/api-key.ts';
import { requireUsableKey } from './organization/authenticate.ts';
import { authorOf } from './organization/workspace-access.ts';
import type { Actor } from './storage.ts';

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
