import { Type } from '../core/type.ts';
import { Account } from './account.ts';
import { operations } from './operation.ts';
import { named, nullable, one, ref, timestamp } from './schema-parts.ts';

/**
 * Starting and ending a session. A successful sign-in sets the session cookie. Providers (OpenID
 * Connect) are not here: browsers go to `/sign-in/<provider>`, which redirects.
 *
 * The command line signs in with a device code (RFC 8628): it shows a code, a signed-in person
 * approves it in the browser, and the command line receives a management key of that person.
 */

export const SignInOptions = named(
  'SignInOptions',
  Type.Object(
    {
      password: Type.Boolean({ description: 'Whether people can sign in with a password.' }),
      providers: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Sign in at `/sign-in/<id>`.' }),
          name: Type.String({ description: 'For people, such as Google.' }),
        }),
      ),
    },
    { additionalProperties: false, description: 'The ways to sign in to this server.' },
  ),
);

const PasswordSignIn = named(
  'PasswordSignIn',
  Type.Object(
    { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 4096 }) },
    { additionalProperties: false },
  ),
);

const LinkSignIn = named(
  'LinkSignIn',
  Type.Object(
    { token: Type.String({ maxLength: 256, description: 'The part of the link after `#`.' }) },
    { additionalProperties: false },
  ),
);

export const DeviceCode = named(
  'DeviceCode',
  Type.Object(
    {
      device_code: Type.String({ description: 'Secret. Send it to `/sign-in/device/token`.' }),
      user_code: Type.String({ description: 'Show it to the person, who types it in the browser.' }),
      verification_url: Type.String({ description: 'The page on which the person enters the code.' }),
      expires_at: timestamp,
      interval_seconds: Type.Integer({ description: 'How long to wait between two polls.' }),
    },
    { additionalProperties: false },
  ),
);

const deviceStatus = Type.Enum(['pending', 'approved', 'denied']);

/** Shown to the person who approves a device. */
export const DeviceRequest = named(
  'DeviceRequest',
  Type.Object(
    {
      user_code: Type.String(),
      client_name: Type.String({ description: 'As the client calls itself, usually a host name.' }),
      address: Type.String({ description: 'The network address that requested the code.' }),
      status: deviceStatus,
      created_at: timestamp,
      expires_at: timestamp,
    },
    { additionalProperties: false },
  ),
);

export type SignInOptions = Type.Static<typeof SignInOptions.schema>;
export type DeviceCode = Type.Static<typeof DeviceCode.schema>;
export type DeviceRequest = Type.Static<typeof DeviceRequest.schema>;

const tag = 'Account';
const signedIn = { description: 'The account. Sets the session cookie.', body: one(ref(Account)) };
const codeParams = Type.Object({ user_code: Type.String({ maxLength: 32 }) });

/**
 * These need no key and no session. A password or a link is accepted only from the server's own
 * pages.
 */
export const signInOperations = operations({
  'GET /sign-in': {
    id: 'getSignInOptions',
    tag,
    access: 'public',
    summary: 'Get the ways to sign in',
    response: { description: 'The ways to sign in.', body: one(ref(SignInOptions)) },
  },
  'POST /sign-in/password': {
    id: 'signInWithPassword',
    tag,
    access: 'public',
    summary: 'Sign in with a password',
    description:
      'Returns 401 for a wrong password and for an unknown account alike, and 429 after too many failures.',
    body: ref(PasswordSignIn),
    bodySize: 'small',
    response: signedIn,
    errors: [400, 401, 403, 413, 415, 429, 500, 503],
  },
  'POST /sign-in/link': {
    id: 'signInWithLink',
    tag,
    access: 'public',
    summary: 'Sign in with a one-time link',
    description: 'Returns 401 if the link was used before or has expired.',
    body: ref(LinkSignIn),
    bodySize: 'small',
    response: signedIn,
    errors: [400, 401, 403, 413, 415, 429, 500, 503],
  },
  'POST /sign-in/device': {
    id: 'startDeviceSignIn',
    tag,
    access: 'public',
    summary: 'Start a command-line sign-in',
    body: Type.Object(
      { client_name: Type.String({ minLength: 1, maxLength: 100 }) },
      { additionalProperties: false },
    ),
    bodySize: 'small',
    response: { description: 'The codes.', body: one(ref(DeviceCode)) },
    errors: [400, 413, 415, 429, 500, 503],
  },
  'POST /sign-in/device/token': {
    id: 'pollDeviceSignIn',
    tag,
    access: 'public',
    summary: 'Get the key of an approved command line',
    description: 'Returns the key once. Returns 401 for an unknown or expired code.',
    body: Type.Object({ device_code: Type.String({ maxLength: 256 }) }, { additionalProperties: false }),
    bodySize: 'small',
    response: {
      description: 'The status, with a management key of the person once they have approved.',
      body: one(
        Type.Object({
          status: deviceStatus,
          key: nullable(Type.String({ description: 'A secret that is returned only once.' })),
        }),
      ),
    },
    errors: [400, 401, 413, 415, 429, 500, 503],
  },
});

/** These need a session. */
export const signedInOperations = operations({
  'POST /sign-out': {
    id: 'signOut',
    tag,
    access: 'session',
    summary: 'End this session',
    response: {
      description: 'The session has ended. Deletes the session cookie.',
      body: one(
        Type.Object({
          redirect_to: nullable(
            Type.String({ description: 'A page of the provider that also ends the session there.' }),
          ),
        }),
      ),
    },
  },
  'GET /sign-in/device/:user_code': {
    id: 'getDeviceRequest',
    tag,
    access: 'session',
    summary: 'Get a command-line sign-in',
    params: codeParams,
    response: { description: 'The request.', body: one(ref(DeviceRequest)) },
  },
  'POST /sign-in/device/:user_code': {
    id: 'decideDeviceRequest',
    tag,
    access: 'session',
    summary: 'Approve or deny a command-line sign-in',
    description: 'Approving creates a management key of yours that expires after 90 days.',
    params: codeParams,
    body: Type.Object({ approve: Type.Boolean() }, { additionalProperties: false }),
    bodySize: 'small',
    response: { description: 'The request.', body: one(ref(DeviceRequest)) },
    errors: [409],
  },
});
