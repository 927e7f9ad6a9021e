import { hashSecret } from '../../core/api-key.ts';

export function memberPath(idOrEmail: string): string {
  return `/organization/members/${encodeURIComponent(idOrEmail)}`;
}

export function workspacePath(idOrSlug: string, ...parts: readonly string[]): string {
  return ['/workspaces', encodeURIComponent(idOrSlug), ...parts].join('/');
}

/**
 * By id or label, in which three dots stand for the sign that few keyboards have. A whole secret, perhaps one that
 * leaked, works too: its hash is sent, since a URL is logged.
 */
export function keyPath(key: string, ...parts: readonly string[]): string {
  const reference = /^sk-pst-v1-[0-9a-f]{64}$/.test(key) ? hashSecret(key) : key.replace('...', '…');
  return ['/keys', encodeURIComponent(reference), ...parts].join('/');
}
