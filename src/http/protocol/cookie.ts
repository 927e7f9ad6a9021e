import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownOrigin } from './own-origin.ts';

/**
 * Cookies of this host that scripts cannot read. Over TLS their names have the prefix `__Host-`,
 * which keeps other hosts of the domain and unencrypted pages from setting them.
 */
interface Cookie {
  /** Without the prefix. */
  readonly name: string;
  readonly value: string;
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
}

export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: URL | undefined,
  { name, value, maxAgeSeconds }: Cookie,
): void {
  const secure = isSecure(request, publicUrl);
  // Lax and not Strict: a link in a message opens the page signed in, and providers redirect back.
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  reply.header('set-cookie', `${fullName(name, secure)}=${value}; ${attributes}`);
}

/** The last value of a cookie by this name, not decoded; undefined if it is missing or empty. */
export function readCookie(
  request: FastifyRequest,
  publicUrl: URL | undefined,
  name: string,
): string | undefined {
  const wanted = fullName(name, isSecure(request, publicUrl));
  const values = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=');
    return key === wanted ? [value.join('=')] : [];
  });
  return values.at(-1) || undefined;
}

function fullName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

/** Whether the server knows that the browser reached it over TLS. */
function isSecure(request: FastifyRequest, publicUrl: URL | undefined): boolean {
  return ownOrigin(request, publicUrl).startsWith('https:');
}
