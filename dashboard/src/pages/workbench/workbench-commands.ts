import { createContext, useContext } from 'react';
import { type Command, useCommands } from '../../components/commands.ts';

const group = 'Workbench';

const ShowRunContext = createContext<() => void>(() => undefined);

/** Brings the run on screen before it returns. */
export const ShowRunProvider = ShowRunContext.Provider;

/** The part that runs something says how. A run costs money: show it first. */
export function useRunCommand({ isDisabled, run }: Required<Pick<Command, 'isDisabled' | 'run'>>): void {
  const showRun = useContext(ShowRunContext);
  const showAndRun = () => {
    showRun();
    run();
  };
  const keywords = 'try send call';
  useCommands([{ title: 'Run', group, keys: 'Mod+Enter', keywords, isDisabled, run: showAndRun }]);
}

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
