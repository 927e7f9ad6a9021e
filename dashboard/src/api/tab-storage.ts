/**
 * The storage of this browser tab: unsaved drafts, and the key if the user signed in with one.
 *
 * Items live in `sessionStorage` until the tab closes or the user signs out. An item over the
 * browser's quota, such as a draft of several megabytes, is kept in memory instead and lost on
 * reload.
 */

type ItemName = 'key' | `${typeof draftPrefix}${string}`;

/** Prefix of the names of drafts. */
export const draftPrefix = 'draft.';

/** Items that exceeded the quota. */
const inMemory = new Map<string, string>();

/** Undefined if nothing is stored. */
export function readItem(name: ItemName): string | undefined {
  return inMemory.get(name) ?? sessionStorage.getItem(`presetd.${name}`) ?? undefined;
}

/** Returns whether the item survives a reload. */
export function storeItem(name: ItemName, value: string): boolean {
  removeItem(name);
  try {
    sessionStorage.setItem(`presetd.${name}`, value);
    return true;
  } catch {
    inMemory.set(name, value);
    return false;
  }
}

export function removeItem(name: ItemName): void {
  inMemory.delete(name);
  sessionStorage.removeItem(`presetd.${name}`);
}

/** Called on sign-out: prompts must not be left for the next person at this browser. */
export function removeDrafts(): void {
  inMemory.clear();
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(`presetd.${draftPrefix}`)) sessionStorage.removeItem(name);
}
