import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Authenticator } from '../core/organization/authenticate.ts';
import type { Caller } from '../core/organization/caller.ts';
import { type FailedAuthentications, limitFailedAttempts } from './overload/failed-authentications.ts';
import { hasKey, secretHashOf } from './request-key.ts';
import { assertSameOrigin, sessionHashOf } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyInstance {
    authenticator: Authenticator;
    /** Where browsers reach the server; undefined if it is not configured. */
    publicUrl: URL | undefined;
  }
  interface FastifyRequest {
    /** Null until the key or session has been checked, and on routes that need neither. */
    caller: Caller | null;
  }
}

/**
 * Makes every route of this scope require a valid key or session, which is checked before the body
 * is read.
 */
export function requireCaller(
  scope: FastifyInstance,
  authenticator: Authenticator,
  publicUrl: URL | undefined,
  failures: FailedAuthentications,
): void {
  scope.decorate('authenticator', authenticator);
  scope.decorate('publicUrl', publicUrl);
  /** Sessions end all the time, and their tokens cannot be guessed: they block no address. */
  const identified = (request: FastifyRequest) => {
    const tokenHash = tokenHashOf(request);
    return tokenHash === undefined
      ? limitFailedAttempts(failures, request, () => findKey(request))
      : findSession(request, tokenHash);
  };
  // Callbacks instead of async functions: they run for every request.
  const identify: onRequestHookHandler = (request, _reply, done) => {
    try {
      const caller = identified(request);
      // Synchronous when the key is cached, as on nearly every request.
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
  };
  scope.addHook('onRequest', identify);
  // The key may have been revoked while the body was arriving, which can take minutes.
  scope.addHook('preValidation', function reauthenticate(request, reply, done) {
    if (request.body === undefined) done();
    else identify.call(this, request, reply, done);
  });
}

/**
 * Calls on the fast path and streamed responses that take longer than this have their key checked
 * again, because it may have been revoked. Other routes check it after every body.
 */
export const reauthenticateAfterMs = 100;

/**
 * Looks up the key or session of a request. Long requests call it again while they run: it throws
 * like the first time if the key has been revoked since. Cookies count only if there is no key, and
 * a change by cookie must come from a page of this server.
 */
export function authenticate(request: FastifyRequest): Caller | Promise<Caller> {
  const tokenHash = tokenHashOf(request);
  return tokenHash === undefined ? findKey(request) : findSession(request, tokenHash);
}

function findKey({ server, raw, headers }: FastifyRequest): Caller | Promise<Caller> {
  return server.authenticator.authenticate(secretHashOf(raw.socket, headers));
}

function findSession(request: FastifyRequest, tokenHash: string): Caller | Promise<Caller> {
  const { server, method } = request;
  if (method !== 'GET' && method !== 'HEAD') assertSameOrigin(request, server.publicUrl);
  return server.authenticator.authenticateSession(tokenHash);
}

function tokenHashOf(request: FastifyRequest): string | undefined {
  return hasKey(request.headers) ? undefined : sessionHashOf(request, request.server.publicUrl);
}

/**
 * The caller of an authenticated request. Throws on a route outside `requireCaller`: a bug.
 */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('callerOf was called on a route without authentication');
  return request.caller;
}
