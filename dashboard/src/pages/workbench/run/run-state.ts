/**
 * What the user has set up to run: conversation, values of variables and columns.
 *
 * It is stored in the tab, like the draft, so that leaving the page loses nothing.
 */

import { useEffect, useRef, useState } from 'react';
import { draftPrefix, readItem, storeItem } from '../../../api/tab-storage.ts';
import type { VariableTexts } from '../../preset/playground/variable-values.ts';
import type { Column, Message } from './conversation.ts';

export interface RunState {
  readonly messages: readonly Message[];
  /** The message that is being typed. */
  readonly composed: string;
  readonly texts: VariableTexts;
  readonly columns: readonly Column[];
  /** The test case that was loaded; undefined for none. */
  readonly caseName?: string | undefined;
}

export const firstColumn: Column = { id: 1, source: 'draft', model: '' };

export const emptyRunState: RunState = {
  messages: [],
  composed: '',
  texts: new Map(),
  columns: [firstColumn],
};

/** Debounce: attachments may be megabytes. */
const pauseMs = 300;

/** Names whose stored state is newer than the component that is about to unmount. */
const isReplaced = new Set<string>();

/** Stores a state for the component that mounts next. */
export function replaceRunState(name: string, state: RunState): void {
  isReplaced.add(name);
  storeRunState(name, state);
}

export type ChangeRunState = (changed: Partial<RunState>) => void;

function itemOf(name: string) {
  return `${draftPrefix}run/${name}` as const;
}

/** `name` identifies the person and the preset. Undefined if nothing was set up yet. */
export function readRunState(name: string): RunState | undefined {
  const stored = readItem(itemOf(name));
  return stored === undefined ? undefined : parseState(stored);
}

export function storeRunState(name: string, state: RunState): void {
  storeItem(itemOf(name), JSON.stringify({ ...state, texts: [...state.texts] }));
}

/** `name` identifies the person and the preset. */
export function useRunState(name: string, canDraft: boolean): readonly [RunState, ChangeRunState] {
  const [state, setState] = useState<RunState>(
    () =>
      readRunState(name) ??
      // People who cannot edit have no draft to try.
      (canDraft ? emptyRunState : { ...emptyRunState, columns: [{ ...firstColumn, source: 'live' }] }),
  );
  const latest = useRef(state);
  latest.current = state;
  useEffect(() => {
    const timer = setTimeout(() => storeRunState(name, state), pauseMs);
    return () => clearTimeout(timer);
  }, [name, state]);
  // Nothing typed within the pause is lost when the page is left.
  useEffect(() => {
    const storeNow = () => storeRunState(name, latest.current);
    addEventListener('pagehide', storeNow);
    return () => {
      removeEventListener('pagehide', storeNow);
      if (!isReplaced.has(name)) storeNow();
      isReplaced.delete(name);
    };
  }, [name]);
  return [state, (changed) => setState((before) => ({ ...before, ...changed }))];
}

/** Only `useRunState` writes these items. */
function parseState(text: string): RunState {
  const stored = JSON.parse(text) as Omit<RunState, 'texts'> & {
    readonly texts: readonly (readonly [string, string])[];
  };
  return { ...stored, texts: new Map(stored.texts) };
}
