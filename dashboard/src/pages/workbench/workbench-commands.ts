import type { Command } from '../../components/commands.ts';

const group = 'Workbench';

/** Of the part that runs something; each says how. */
export const runCommand = { title: 'Run', group, keys: 'Mod+Enter', keywords: 'try send call' } as const;

export const importCommand = {
  title: 'Import a request from the clipboard',
  group,
  keywords: 'paste curl json',
} as const;

/** Keys of the editors, which handle them themselves. */
export const editorKeys: readonly Command[] = [
  { title: 'Search in the prompt', group, keys: 'Mod+F' },
  { title: 'Next problem in the request', group, keys: 'F8' },
];
