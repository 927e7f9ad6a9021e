import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type DeviceRequest as DeviceRequestOnWire,
  signedInOperations,
  signInOperations,
} from '../../api/sign-in.ts';
import type { Accounts } from '../../core/accounts/accounts.ts';
import {
  type DeviceSignIn,
  type FoundDevice,
  pollIntervalSeconds,
} from '../../core/accounts/device-sign-in.ts';
import type { SignedIn, SignIn } from '../../core/accounts/sign-in.ts';
import { hashSecret } from '../../core/organization/api-key.ts';
import type { Authenticator } from '../../core/organization/authenticate.ts';
import type { SignInProviders } from '../../sign-in/providers.ts';
import { callerOf } from '../authentication.ts';
import { type FailedAuthentications, limitFailedAttempts } from '../overload/failed-authentications.ts';
import { addressBucket } from '../protocol/client-address.ts';
import { ownOrigin } from '../protocol/own-origin.ts';
import { serveOperations } from '../serve-operations.ts';
import { assertSameOrigin, deleteSessionCookie, setSessionCookie } from '../session-cookie.ts';
import { signInClient } from '../sign-in-client.ts';
import { accountToWire } from './account.ts';

interface SignInRoutesOptions {
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  readonly devices: DeviceSignIn;
  readonly authenticator: Authenticator;
  readonly failures: FailedAuthentications;
  readonly publicUrl: URL | undefined;
  readonly sessionMaxMs: number;
}

/**
 * Starts sessions; needs neither key nor session. What sets a cookie accepts only requests of the
 * server's own pages: another site could otherwise sign a browser in as somebody else.
 *
 * Mistyped passwords and used links do not count as failed authentications, which block all keys of
 * an address: the database limits passwords, and links cannot be guessed.
 */
export function signInRoutes(scope: FastifyInstance, options: SignInRoutesOptions): void {
  const { signIn, accounts, devices, failures, publicUrl } = options;

  async function respond(request: FastifyRequest, reply: FastifyReply, { token }: SignedIn) {
    const caller = await options.authenticator.authenticateSession(hashSecret(token));
    const maxAgeSeconds = Math.floor(options.sessionMaxMs / 1_000);
    setSessionCookie(request, reply, publicUrl, { token, maxAgeSeconds });
    return { data: accountToWire(await accounts.get(caller), caller) };
  }

  serveOperations(scope, signInOperations, {
    'GET /sign-in': () => {
      const { password, providers } = signIn.methods();
      return { data: { password, providers: providers.map(({ id, name }) => ({ id, name })) } };
    },
    'POST /sign-in/password': async (request, reply) => {
      assertSameOrigin(request, publicUrl);
      const { email, password } = request.body;
      const client = signInClient(request, publicUrl);
      return respond(request, reply, await signIn.withPassword(email, password, client));
    },
    'POST /sign-in/link': async (request, reply) => {
      assertSameOrigin(request, publicUrl);
      const client = signInClient(request, publicUrl);
      return respond(request, reply, await signIn.withLink(request.body.token, client));
    },
    'POST /sign-in/device': async (request) => {
      const { ip } = request;
      const started = await devices.start(request.body.client_name, ip, addressBucket(ip));
      return {
        data: {
          device_code: started.deviceCode,
          user_code: started.userCode,
          // Without the code: a link that others send must not be one click away from approval.
          verification_url: `${ownOrigin(request, publicUrl)}/sign-in/device`,
          expires_at: started.expiresAt,
          interval_seconds: pollIntervalSeconds,
        },
      };
    },
    'POST /sign-in/device/token': async (request) => {
      const poll = () => devices.poll(request.body.device_code);
      const { status, secret } = await limitFailedAttempts(failures, request, poll);
      return { data: { status, key: secret } };
    },
  });
}

/** Routes of a signed-in person: signing out, and approving command lines. */
export function signedInRoutes(
  scope: FastifyInstance,
  accounts: Accounts,
  devices: DeviceSignIn,
  providers: SignInProviders,
): void {
  serveOperations(scope, signedInOperations, {
    'POST /sign-out': async (request, reply) => {
      const { method, idToken } = await accounts.signOut(callerOf(request));
      deleteSessionCookie(request, reply, scope.publicUrl);
      const returnUrl = `${ownOrigin(request, scope.publicUrl)}/sign-in`;
      const redirectTo = await providers.endSessionUrl(method, idToken, returnUrl);
      return { data: { redirect_to: redirectTo ?? null } };
    },
    'GET /sign-in/device/:user_code': async (request) => ({
      data: deviceToWire(await devices.find(callerOf(request), request.params.user_code)),
    }),
    'POST /sign-in/device/:user_code': async (request) => {
      const { approve } = request.body;
      const decided = await devices.decide(callerOf(request), request.params.user_code, approve);
      return { data: deviceToWire(decided) };
    },
  });
}

function deviceToWire({ userCode, request }: FoundDevice): DeviceRequestOnWire {
  return {
    user_code: userCode,
    client_name: request.clientName,
    address: request.address,
    status: request.status,
    created_at: request.createdAt,
    expires_at: request.expiresAt,
  };
}
