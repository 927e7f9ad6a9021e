/**
 * Addresses of pages. Those of a workspace begin with `/w/<slug>`, so that a link means the same
 * for everyone who can access the workspace. Inside them, links are relative to that: `/presets`. A
 * link from there to another page begins with `~`.
 */

import type { WorkspaceAccess } from '../../../src/api/account.ts';

export function workspacePath(slug: string, path = '/presets'): string {
  return `/w/${encodeURIComponent(slug)}${path}`;
}

/** The page that asks for a sign-in and then continues at `returnTo`. */
export function signInPath(returnTo: string): string {
  return returnTo === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ return_to: returnTo })}`;
}

/** Where a provider signs people in. The server redirects to it, so this is not a page of ours. */
export function providerPath(id: string, returnTo: string): string {
  return `/sign-in/${encodeURIComponent(id)}?${new URLSearchParams({ return_to: returnTo })}`;
}

/**
 * Where to continue after a sign-in. Anybody can write such a link, so it leads to a page of this
 * server only, and never to another sign-in.
 */
export function readReturnPath(text: string | null, origin: string): string {
  if (text === null || !text.startsWith('/') || !URL.canParse(text, origin)) return '/';
  const { origin: target, pathname, search, hash } = new URL(text, origin);
  // Resolving may leave two slashes at the start, which would mean another server.
  if (target !== origin || /^\/\/|^\/sign-in(\/|$)/.test(pathname)) return '/';
  return pathname + search + hash;
}

/**
 * The address of a page whose old address did not name its workspace, or did in the parameter
 * `workspace`; undefined if that is none of these workspaces.
 */
export function movedAddress(
  path: string,
  search: string,
  workspaces: readonly Pick<WorkspaceAccess, 'id' | 'slug'>[],
  current: Pick<WorkspaceAccess, 'slug'> | undefined,
): string | undefined {
  const query = new URLSearchParams(search);
  const named = query.get('workspace');
  query.delete('workspace');
  const workspace =
    named === null ? current : workspaces.find(({ id, slug }) => id === named || slug === named);
  if (workspace === undefined) return undefined;
  return workspacePath(
    workspace.slug,
    (path === '/' ? '/presets' : path) + (query.size > 0 ? `?${query}` : ''),
  );
}
