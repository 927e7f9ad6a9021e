import { createContext, useContext } from 'react';
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
