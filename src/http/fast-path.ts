import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator, Caller } from '../core/authenticate.ts';
import { secretHashOf } from './authentication.ts';
import type { ClientAddress } from './client-address.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import type { RateLimit } from './rate-limit.ts';

/** A kind of request that can be served without the framework. */
export interface FastRoute {
  /** Whether a request is plain enough to be served here. */
  matches(request: IncomingMessage): boolean;
  /** Serves an admitted request, or returns false and leaves it untouched. */
  serve(request: IncomingMessage, response: ServerResponse, caller: Caller, startedAt: number): boolean;
}

export interface FastPathOptions {
  readonly routes: readonly FastRoute[];
  readonly authenticator: Authenticator;
  readonly address: ClientAddress;
  readonly failures: FailedAuthentications;
  readonly rateLimit: RateLimit;
}

/**
 * Serves the most common requests before the framework does, and without its cost.
 *
 * Whether a request is admitted depends on its caller alone: the key is in memory, the address is not blocked, and the
 * key is within its rate limit. Everything else goes on to the framework's route untouched, above all everything that is
 * wrong, so that each error is written in one place. A request that was counted here is not counted again there.
 */
export function createFastPath({ routes, authenticator, address, failures, rateLimit }: FastPathOptions) {
  return (request: IncomingMessage, response: ServerResponse, fallBack: () => void): void => {
    const startedAt = performance.now();
    const route = routes.find((candidate) => candidate.matches(request));
    // No key is looked up for a blocked address: else it could go on guessing.
    const caller = route === undefined || isBlocked(request) ? undefined : knownCaller(request);
    if (route === undefined || caller === undefined) {
      fallBack();
      return;
    }
    const serve = (admitted: Caller | undefined) => {
      if (admitted === undefined || !route.serve(request, response, admitted, startedAt)) fallBack();
    };
    const isWithin = isWithinLimit(request, caller);
    if (isWithin === true) serve(caller);
    else if (isWithin === false) fallBack();
    // What the key may do can have changed while the supervisor counted.
    else isWithin.then((is) => serve(is && !isBlocked(request) ? knownCaller(request) : undefined));
  };

  function knownCaller({ socket, headers }: IncomingMessage): Caller | undefined {
    try {
      const caller = authenticator.authenticate(secretHashOf(socket, headers));
      if (!(caller instanceof Promise)) return caller;
      // The route asks the same in the same moment and gets the same answer, be it an error.
      caller.catch(() => {});
    } catch {
      // The route says what is wrong.
    }
    return undefined;
  }

  function isWithinLimit(request: IncomingMessage, { id }: Caller): boolean | Promise<boolean> {
    try {
      const checked = rateLimit.assertWithinLimit(request, id);
      return (
        checked?.then(
          () => true,
          () => false,
        ) ?? true
      );
    } catch {
      return false;
    }
  }

  function isBlocked(request: IncomingMessage): boolean {
    return failures.isBlocking && failures.secondsBlocked(address.of(request)) > 0;
  }
}
