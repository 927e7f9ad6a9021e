import type { FastifyReply, FastifyRequest } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { hashSecret } from '../core/organization/api-key.ts';
import { readCookie, setCookie } from './protocol/cookie.ts';
import { isOwnOrigin } from './protocol/own-origin.ts';

const name = 'presetd_session';

/** The hash of the session token in the cookies of a request; undefined if there is none. */
export function sessionHashOf(request: FastifyRequest, publicUrl: URL | undefined): string | undefined {
  const token = readCookie(request, publicUrl, name);
  return token === undefined ? undefined : hashSecret(token);
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: URL | undefined,
  { token, maxAgeSeconds }: { readonly token: string; readonly maxAgeSeconds: number },
): void {
  setCookie(request, reply, publicUrl, { name, value: token, maxAgeSeconds });
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
    publicUrl !== undefined && origin !== undefined && !isOwnOrigin(origin, request, publicUrl)
      ? `The page that sent this request is not part of ${publicUrl.origin}, the address of this server. Open ${publicUrl.origin} and try again.`
      : `This request was not sent by a page of this server. Programs must use a key instead of a session.${publicUrlHint(request, publicUrl)}`,
  );
}

/**
 * A proxy that changes the Host header makes the pages of this server look foreign. If the browser
 * sends Sec-Fetch-Site, the setting makes no difference.
 */
function publicUrlHint({ headers }: FastifyRequest, publicUrl: URL | undefined): string {
  const { origin = '', 'sec-fetch-site': site } = headers;
  const isPage = /^https?:/.test(origin) && URL.canParse(origin);
  if (publicUrl !== undefined || site !== undefined || !isPage) return '';
  return ` If you opened this page in a browser, set PRESETD_PUBLIC_URL to ${new URL(origin).origin}.`;
}
