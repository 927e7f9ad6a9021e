/**
 * What the user can do on the page, in one registry: the command palette, the list of keys and the
 * keyboard itself read it, so they cannot disagree.
 *
 * A component offers its commands with `useCommands` for as long as it is mounted. `useCommandKeys`
 * listens to the keyboard, once, in the shell. Keys do nothing while a modal dialog is open, and
 * those without a modifier do nothing while the user types.
 */

import { useEffect, useRef } from 'react';

export interface Command {
  /** A verb with its object, such as "Save version". Unique on the page. */
  readonly title: string;
  /** Where it belongs: the heading above it in the palette and in the list of keys. */
  readonly group: string;
  /** Such as `Mod+S`, where Mod is Ctrl or ⌘. */
  readonly keys?: Keys;
  /** Undefined for keys that something else handles, which are only listed. */
  readonly run?: () => void;
  /** It does nothing now. The palette leaves it out; its keys do not reach the browser. */
  readonly isDisabled?: boolean;
  /** Moves through the page: it repeats while the key is held, and the palette leaves it out. */
  readonly isMove?: boolean;
  /** Search keywords besides the title. */
  readonly keywords?: string;
}

export type Keys = `Mod+${string}` | '?' | '/' | 'Enter' | 'J' | 'K' | 'C' | `F${number}`;

const offered = new Set<{ readonly current: readonly Command[] }>();

/** Offers commands while the component is mounted. They may change with every render. */
export function useCommands(commands: readonly (Command | false | undefined)[]): void {
  const latest = useRef<readonly Command[]>([]);
  latest.current = commands.filter((command) => typeof command === 'object');
  useEffect(() => {
    offered.add(latest);
    return () => void offered.delete(latest);
  }, []);
}

/** In the order in which their components mounted: a page that loads late comes after the shell. */
export function currentCommands(): readonly Command[] {
  return [...offered].flatMap(({ current }) => current);
}

/** Runs commands by their keys. */
export function useCommandKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const command = currentCommands().find(
        ({ keys, run }) => keys !== undefined && run !== undefined && matchesKeys(event, keys),
      );
      if (command === undefined) return;
      if (!command.keys?.startsWith('Mod+') && isTyping(event)) return;
      event.preventDefault();
      if ((!event.repeat || command.isMove) && !command.isDisabled && !isModalOpen()) command.run?.();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

export function matchesKeys(pressed: PressedKey, keys: Keys): boolean {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  if (pressed.key.toLowerCase() !== key.toLowerCase() || pressed.altKey) return false;
  if ((pressed.ctrlKey || pressed.metaKey) !== parts.includes('Mod')) return false;
  // Characters such as ? need Shift on some keyboards and not on others.
  return key === '?' || key === '/' || pressed.shiftKey === parts.includes('Shift');
}

/** The keys as they are written on the user's keyboard, one by one. */
export function keyNames(keys: Keys, isMac = onMac): readonly string[] {
  const parts = keys.split('+');
  if (!isMac) return parts.map((part) => (part === 'Mod' ? 'Ctrl' : part));
  // Apple puts ⇧ before ⌘.
  const isShifted = parts.includes('Shift');
  const ordered = isShifted ? ['Shift', ...parts.filter((part) => part !== 'Shift')] : parts;
  return ordered.map((part) => macNames[part] ?? part);
}

/** "Ctrl+Enter" or "⌘↵", in a sentence or a tooltip. */
export function keysText(keys: Keys, isMac = onMac): string {
  return keyNames(keys, isMac).join(isMac ? '' : '+');
}

const onMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

const macNames: Readonly<Record<string, string>> = { Mod: '⌘', Shift: '⇧', Enter: '↵' };

/** For `aria-keyshortcuts`. */
export function ariaKeys(keys: Keys): string {
  return keys.replace('Mod', onMac ? 'Meta' : 'Control');
}

function isModalOpen(): boolean {
  return document.querySelector('dialog:modal') !== null;
}

/** Editors have their text in a shadow root, so ask for the innermost target. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}
