import type { FastifyReply, FastifyRequest } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { hashSecret } from '../core/organization/api-key.ts';

/**
 * The cookie of a session. Over TLS it has the prefix `__Host-`, which keeps other hosts of the
 * domain and unencrypted pages from setting it.
 */
const plainName = 'presetd_session';
const hostName = `__Host-${plainName}`;

/** The hash of the session token in the cookies of a request; undefined if there is none. */
export function sessionHashOf(request: FastifyRequest, publicUrl: URL | undefined): string | undefined {
  const token = readCookie(request.headers.cookie, isSecure(request, publicUrl) ? hostName : plainName);
  return token === undefined ? undefined : hashSecret(token);
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: URL | undefined,
  { token, maxAgeSeconds }: { readonly token: string; readonly maxAgeSeconds: number },
): void {
  const secure = isSecure(request, publicUrl);
  // Lax and not Strict: a link in a message opens the page signed in.
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  reply.header('set-cookie', `${secure ? hostName : plainName}=${token}; ${attributes}`);
}

export function deleteSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: URL | undefined,
): void {
  setSessionCookie(request, reply, publicUrl, { token: '', maxAgeSeconds: 0 });
}

/**
 * Throws `forbidden` unless the request comes from a page of this server. Browsers send cookies
 * with requests of any site, so whatever acts on a cookie, or sets one, must check this.
 */
export function assertSameOrigin(request: FastifyRequest, publicUrl: URL | undefined): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  // Browsers send Sec-Fetch-Site over TLS and to localhost. It cannot be set by pages.
  const isOwn = site === undefined ? isOwnOrigin(origin, request, publicUrl) : site === 'same-origin';
  if (isOwn) return;
  throw new PresetdError(
    'forbidden',
    'This request was not sent by a page of this server. Programs must use a key instead of a session.',
  );
}

function isOwnOrigin(
  origin: string | undefined,
  request: FastifyRequest,
  publicUrl: URL | undefined,
): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return publicUrl === undefined ? host === request.host : new URL(origin).origin === publicUrl.origin;
}

/** Whether the browser reached the server over TLS, as far as the server can know. */
function isSecure({ protocol }: FastifyRequest, publicUrl: URL | undefined): boolean {
  return publicUrl === undefined ? protocol === 'https' : publicUrl.protocol === 'https:';
}

/** The last value of a cookie with this name, without decoding; undefined if it is missing or empty. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
  return values.at(-1) || undefined;
}
