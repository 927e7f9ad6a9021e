/**
 * The color scheme: the system's unless the user has chosen one, which this browser remembers.
 * It is an attribute of the document that `tokens.css` reads; without it, the system decides.
 */

import { useSyncExternalStore } from 'react';

type Theme = 'system' | 'light' | 'dark';

export const themes: readonly (readonly [theme: Theme, title: string])[] = [
  ['system', 'System theme'],
  ['light', 'Light theme'],
  ['dark', 'Dark theme'],
];

const name = 'presetd.theme';
const listeners = new Set<() => void>();

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(name);
  else localStorage.setItem(name, theme);
  applyTheme();
}

/** Call it before the first render, so that no page appears in the wrong colors. */
export function startTheme(): void {
  applyTheme();
  // Chosen in another tab.
  addEventListener('storage', applyTheme);
}

function readTheme(): Theme {
  const stored = localStorage.getItem(name);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function applyTheme(): void {
  const theme = readTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
