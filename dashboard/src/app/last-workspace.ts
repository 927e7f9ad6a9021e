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
