import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator, Caller } from '../core/authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the key has been checked, and on routes that need none. */
    caller: Caller | null;
  }
}

/** Every route registered in this scope answers only to a good key, which is checked before the body is read. */
export function requireKey(scope: FastifyInstance, authenticator: Authenticator): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    try {
      const caller = authenticator.authenticate(request.headers.authorization);
      if (!(caller instanceof Promise)) {
        request.caller = caller;
        done();
        return;
      }
      caller.then(
        (found) => {
          request.caller = found;
          done();
        },
        (error: Error) => done(error),
      );
    } catch (error) {
      done(error as Error);
    }
  });
}

export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('a route without authentication asked who is calling');
  return request.caller;
}
