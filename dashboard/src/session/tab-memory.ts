/** What one tab of the browser remembers until it is closed or the person signs out. Nothing is kept anywhere else. */
type Memory = 'key' | 'workspace' | `${typeof draftPrefix}${string}`;

/** Before the name of a text that was typed and not saved yet. */
export const draftPrefix = 'draft.';

/** What is too large for the browser to keep lasts until the page is loaded again. */
const untilReload = new Map<string, string>();

export function remembered(name: Memory): string | undefined {
  return untilReload.get(name) ?? sessionStorage.getItem(`presetd.${name}`) ?? undefined;
}

/** Whether it will still be known when the page is loaded again. */
export function remember(name: Memory, value: string): boolean {
  forget(name);
  try {
    sessionStorage.setItem(`presetd.${name}`, value);
    return true;
  } catch {
    untilReload.set(name, value);
    return false;
  }
}

export function forget(name: Memory): void {
  untilReload.delete(name);
  sessionStorage.removeItem(`presetd.${name}`);
}

/** Prompts are nobody else's business: who signs out leaves none behind. */
export function forgetDrafts(): void {
  untilReload.clear();
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(`presetd.${draftPrefix}`)) sessionStorage.removeItem(name);
}
