const charactersMax = 2_048;

/** Stands for this server. No host can have this name (RFC 6761). */
const ownOrigin = 'http://presetd.invalid';

/**
 * Returns the page of this server to show after signing in. Everything that a browser could take
 * for another site, and everything that is not a path, becomes the start page: an attacker must not
 * be able to send people from our sign-in to a page that asks for their password again. Paths that
 * are not pages become it too: returning must not start another sign-in or call the API.
 */
export function toReturnPath(text: string | undefined): string {
  // Browsers drop tabs and line breaks, and treat a backslash like a slash.
  if (text === undefined || text.length > charactersMax || !/^\/[^\p{Cc}\\]*$/u.test(text)) return '/';
  if (!URL.canParse(text, ownOrigin)) return '/';
  const { origin, pathname, search, hash } = new URL(text, ownOrigin);
  // "/.//host" is a path of ours that becomes "//host".
  if (origin !== ownOrigin || pathname.startsWith('//')) return '/';
  if (isReserved(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}

/** Routers decode a path, and some ignore case. */
function isReserved(pathname: string): boolean {
  return /^\/(sign-in|api|scim)(\/|$)/i.test(decoded(pathname));
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
