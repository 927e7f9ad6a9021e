import { createContext, useContext, useEffect } from 'react';
import type { SeenPreset } from '../api/presets.ts';
import type { PresetAction } from './preset-action.ts';

/** What a person is asked before something happens. */
export type Question =
  | { readonly kind: 'edit' | 'disable' | 'archive' }
  | { readonly kind: 'make-live' | 'add-label'; readonly version: number }
  | { readonly kind: 'move-label'; readonly label: string; readonly version: number };

/** What can be done on the page of a preset, for all that is on it. */
export interface PresetActions {
  readonly slug: string;
  readonly seen: SeenPreset;
  /** Whether this key may change this preset in the state that it is in. */
  readonly canChange: boolean;
  readonly isBusy: boolean;
  /** At once, without a question, against the state that is shown. */
  act(action: PresetAction): void;
  ask(question: Question): void;
  /** The version on screen: the live one unless a tab shows another. */
  readonly shownVersion: number;
  setShownVersion(version: number | undefined): void;
  /** Tells that it was done, and lets it be undone. */
  announce(action: PresetAction, after: SeenPreset): void;
}

const PresetActionsContext = createContext<PresetActions | undefined>(undefined);

export const PresetActionsProvider = PresetActionsContext.Provider;

export function usePresetActions(): PresetActions {
  const actions = useContext(PresetActionsContext);
  if (actions === undefined) throw new Error('There is no preset around this component.');
  return actions;
}

/** For a tab: tells the header which version is on screen. Undefined while that is not known. */
export function useShownVersion(version: number | undefined): void {
  const { setShownVersion } = usePresetActions();
  useEffect(() => {
    setShownVersion(version);
    return () => setShownVersion(undefined);
  }, [version, setShownVersion]);
}
