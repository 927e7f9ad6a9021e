import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type Authenticator, type Caller, hashSentSecret } from '../core/authenticate.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import { limitFailedAttempts } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyInstance {
    authenticator: Authenticator;
  }
  interface FastifyRequest {
    /** Null until the key has been checked, and on routes that need none. */
    caller: Caller | null;
  }
}

/** Every route registered in this scope answers only to a good key, which is checked before the body is read. */
export function requireKey(
  scope: FastifyInstance,
  authenticator: Authenticator,
  failures: FailedAuthentications,
): void {
  scope.decorate('authenticator', authenticator);
  const identify: onRequestHookHandler = (request, _reply, done) => {
    try {
      const caller = limitFailedAttempts(failures, request, () => authenticate(request));
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
  // A body may take its time; what the key may do can be another thing by then.
  scope.addHook('preValidation', function askAgain(request, reply, done) {
    if (request.body === undefined) done();
    else identify.call(this, request, reply, done);
  });
}

/** Of a request that takes long, once more: its key may be no good any more, which is told as for any other. */
export function authenticate({ server, raw, headers }: FastifyRequest): Caller | Promise<Caller> {
  return server.authenticator.authenticate(secretHashOf(raw.socket, headers));
}

interface SentCredentials {
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
  readonly secretHash: string;
}

/** What a connection sent last; most send the same again. Gone with the connection. */
const lastCredentials = new WeakMap<object, SentCredentials>();

export function secretHashOf(
  connection: object,
  { authorization, 'x-api-key': given }: IncomingHttpHeaders,
): string {
  const apiKey = given?.toString();
  const last = lastCredentials.get(connection);
  if (
    last !== undefined &&
    isEqualInConstantTime(last.authorization, authorization) &&
    isEqualInConstantTime(last.apiKey, apiKey)
  )
    return last.secretHash;
  const secretHash = hashSentSecret(authorization, apiKey);
  lastCredentials.set(connection, { authorization, apiKey, secretHash });
  return secretHash;
}

/**
 * In a time that does not tell where two texts differ: a proxy may send the requests of many callers over one connection,
 * so that what was sent last is a secret of somebody else.
 */
function isEqualInConstantTime(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}

export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('a route without authentication asked who is calling');
  return request.caller;
}
