import { type Caller, requireUsableKey } from './authenticate.ts';
import type { Clock } from './clock.ts';
import type { Actor } from './storage.ts';
import { authorOf } from './workspace-access.ts';

/** Whoever changes an organization, with the question whether they still may when their turn comes. */
export function actorFrom(caller: Caller, clock: Clock, assertMay: (present: Caller) => void): Actor {
  const assertStill: NonNullable<Actor['authorization']>['assertStillAuthorized'] = (key) =>
    assertMay(requireUsableKey(key, clock));
  return {
    ...authorOf(caller),
    authorization: { secretHash: caller.secretHash, assertStillAuthorized: assertStill },
  };
}
