import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../core/organization/api-key.ts';
import type { Authenticator } from '../../core/organization/authenticate.ts';
import { secretHashOf } from '../authentication.ts';
import type { FailedAuthentications } from '../overload/failed-authentications.ts';
import type { RateLimit } from '../overload/rate-limit.ts';
import type { ClientAddress } from '../protocol/client-address.ts';

/** A kind of request that can be served without the framework. */
export interface FastRoute {
  /** Whether a request is simple enough for the fast path. Called for every request. */
  matches(request: IncomingMessage): boolean;
  /** Serves an admitted request, or returns false without having touched request or response. */
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
 * Serves the most common requests before the framework, and without its cost.
 *
 * Admission depends only on the caller: the key is cached, the address is not blocked, and the key
 * is within its rate limit. Everything else falls back to the framework's route untouched. That
 * includes every error, so that each error is produced in one place. A request that was counted
 * here is not counted again there.
 */
export function createFastPath({ routes, authenticator, address, failures, rateLimit }: FastPathOptions) {
  return (request: IncomingMessage, response: ServerResponse, fallBack: () => void): void => {
    const startedAt = performance.now();
    const route = routes.find((candidate) => candidate.matches(request));
    // A blocked address must not learn whether a key exists, so its keys are not looked up.
    const caller = route === undefined || isBlocked(request) ? undefined : cachedCaller(request);
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
    // The key may have been revoked while the supervisor was counting.
    else isWithin.then((is) => serve(is && !isBlocked(request) ? cachedCaller(request) : undefined));
  };

  /** The caller if the key is valid and cached; undefined leaves the rest to the route. */
  function cachedCaller({ socket, headers }: IncomingMessage): Caller | undefined {
    try {
      const caller = authenticator.authenticate(secretHashOf(socket, headers));
      if (!(caller instanceof Promise)) return caller;
      // The route joins the same lookup and reports its error.
      caller.catch(() => {});
    } catch {
      // The route reports the error.
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
