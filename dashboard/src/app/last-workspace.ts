import type { WorkspaceAccess } from '../../../src/api/account.ts';

/**
 * The workspace that the user last had open in this browser. Pages that belong to no workspace, and
 * addresses that name none, use it.
 */

const name = 'presetd.workspace';

export function readWorkspace(): string | undefined {
  return localStorage.getItem(name) ?? undefined;
}

export function rememberWorkspace(id: string): void {
  localStorage.setItem(name, id);
}

export function forgetWorkspace(): void {
  localStorage.removeItem(name);
}

/**
 * Where somebody starts who has not used any: the default workspace, which comes first. Everyone
 * belongs to that one, so those who may only read there start where they were invited to.
 */
export function startWorkspace(workspaces: readonly WorkspaceAccess[]): WorkspaceAccess | undefined {
  const [first, second] = workspaces;
  return first?.role === 'viewer' ? (second ?? first) : first;
}
