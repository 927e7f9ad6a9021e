import { hashSecret } from '../../core/organization/api-key.ts';

/** Paths below `/api/v1`. Identifiers are encoded: an e-mail address may contain a slash. */

export function memberPath(idOrEmail: string): string {
  return `/organization/members/${encodeURIComponent(idOrEmail)}`;
}

export function workspacePath(idOrSlug: string, ...parts: readonly string[]): string {
  return ['/workspaces', encodeURIComponent(idOrSlug), ...parts].join('/');
}

/**
 * Accepts a key's ID or label. In a label, "..." stands for the ellipsis, which few keyboards have.
 * A whole secret works too, such as one that leaked: its hash is sent instead, because URLs are
 * logged.
 */
export function keyPath(key: string, ...parts: readonly string[]): string {
  const idOrLabel = /^sk-pst-v1-[0-9a-f]{64}$/.test(key) ? hashSecret(key) : key.replace('...', '…');
  return ['/keys', encodeURIComponent(idOrLabel), ...parts].join('/');
}
