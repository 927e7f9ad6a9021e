/**
 * The preset page's actions, shared with every component on the page.
 *
 * `usePageActions` creates them and `PresetLayout` provides them. Changes without a dialog run
 * through `perform`; those that need a confirmation or input open a dialog with `openDialog`.
 */

import { createContext, useContext, useEffect } from 'react';
import type { PresetSnapshot } from '../api/presets.ts';
import type { PresetAction } from './preset-action.ts';

/** A dialog to open. */
export type DialogRequest =
  | { readonly kind: 'edit' | 'disable' | 'archive' }
  | { readonly kind: 'make-live' | 'add-label'; readonly version: number }
  | { readonly kind: 'move-label'; readonly label: string; readonly version: number };

export interface PresetActions {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  /** Whether this key may change the preset in its current status. */
  readonly canChange: boolean;
  readonly isBusy: boolean;
  /** Runs a change right away, against the state on screen. */
  perform(action: PresetAction): void;
  openDialog(question: DialogRequest): void;
  /**
   * The version on screen: the live one unless a tab shows another. "New version" starts from it.
   */
  readonly shownVersion: number;
  setShownVersion(version: number | undefined): void;
  /** Confirms a change in a toast that offers to undo it. */
  announce(action: PresetAction, after: PresetSnapshot): void;
}

const PresetActionsContext = createContext<PresetActions | undefined>(undefined);

export const PresetActionsProvider = PresetActionsContext.Provider;

export function usePresetActions(): PresetActions {
  const actions = useContext(PresetActionsContext);
  if (actions === undefined) throw new Error('usePresetActions must be used inside PresetLayout.');
  return actions;
}

/** For tabs: reports the version on screen to the header. Undefined while it is loading. */
export function useShownVersion(version: number | undefined): void {
  const { setShownVersion } = usePresetActions();
  useEffect(() => {
    setShownVersion(version);
    return () => setShownVersion(undefined);
  }, [version, setShownVersion]);
}
