import { admit, type Caller } from './authenticate.ts';
import type { Clock } from './clock.ts';
import type { Changer } from './storage.ts';
import { authorOf } from './workspace-access.ts';

/** Whoever changes an organization, with the question whether they still may when their turn comes. */
export function changerOf(caller: Caller, clock: Clock, assertMay: (present: Caller) => void): Changer {
  const assertStill: NonNullable<Changer['right']>['assertStill'] = (key) => assertMay(admit(key, clock));
  return { ...authorOf(caller), right: { secretHash: caller.secretHash, assertStill } };
}
