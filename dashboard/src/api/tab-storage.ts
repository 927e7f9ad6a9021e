/**
 * The storage of this browser tab: unsaved drafts, offers to undo, results of runs, and the key if
 * the user signed in with one.
 *
 * Items live in `sessionStorage` until the tab closes or the user signs out. An item over the
 * browser's quota, such as a draft of several megabytes, is kept in memory instead and lost on
 * reload.
 */

type ItemName = 'key' | `${typeof draftPrefix}${string}`;

/** Prefix of the names of drafts. */
export const draftPrefix = 'draft.';

/** Prefix of the names of results, which give way to everything else. */
export const resultPrefix = `${draftPrefix}results/` as const;

/** Items that exceeded the quota. */
const inMemory = new Map<string, string>();

/** Undefined if nothing is stored. */
export function readItem(name: ItemName): string | undefined {
  return inMemory.get(name) ?? sessionStorage.getItem(`presetd.${name}`) ?? undefined;
}

/** Returns whether the item survives a reload. */
export function storeItem(name: ItemName, value: string): boolean {
  removeItem(name);
  if (fits(name, value)) return true;
  // Results can be had again; a text cannot.
  removeStored(resultPrefix);
  if (fits(name, value)) return true;
  inMemory.set(name, value);
  return false;
}

/** Stores an item unless it exceeds the quota. */
function fits(name: ItemName, value: string): boolean {
  try {
    sessionStorage.setItem(`presetd.${name}`, value);
    return true;
  } catch {
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
  removeStored(draftPrefix);
}

function removeStored(prefix: string): void {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(`presetd.${prefix}`)) sessionStorage.removeItem(name);
}
