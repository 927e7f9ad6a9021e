import type { FastifyRequest } from 'fastify';
import type { SignInClient } from '../core/accounts/sign-in.ts';
import { addressBucket } from './protocol/client-address.ts';
import { sessionHashOf } from './session-cookie.ts';

/** Where a request to sign in comes from, with the session that the browser already has. */
export function signInClient(request: FastifyRequest, publicUrl: URL | undefined): SignInClient {
  return {
    address: request.ip,
    network: addressBucket(request.ip),
    userAgent: request.headers['user-agent'] ?? '',
    replacedTokenHash: sessionHashOf(request, publicUrl),
  };
}
