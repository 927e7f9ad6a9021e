/**
 * What the user has set up to run: conversation, values of variables and columns.
 *
 * It is stored in the tab, like the draft, so that leaving the page loses nothing.
 */

import { useEffect, useState } from 'react';
import { draftPrefix, readItem, storeItem } from '../../../api/tab-storage.ts';
import type { VariableTexts } from '../../preset/playground/variable-values.ts';
import type { ImportedConversation } from '../workbench.ts';
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

const emptyState: RunState = { messages: [], composed: '', texts: new Map(), columns: [firstColumn] };

export type ChangeRunState = (changed: Partial<RunState>) => void;

/** `name` identifies the person and the preset. */
export function useRunState(
  name: string,
  canDraft: boolean,
  imported: ImportedConversation,
): readonly [RunState, ChangeRunState] {
  const item = `${draftPrefix}run/${name}` as const;
  const [state, setState] = useState<RunState>(() => {
    const stored = readItem(item);
    // People who cannot edit have no draft to try.
    const start = canDraft
      ? emptyState
      : { ...emptyState, columns: [{ ...firstColumn, source: 'live' as const }] };
    const state = stored === undefined ? start : parseState(stored);
    return imported.count === 0 ? state : { ...state, messages: imported.messages, caseName: undefined };
  });
  useEffect(() => {
    const timer = setTimeout(
      () => storeItem(item, JSON.stringify({ ...state, texts: [...state.texts] })),
      300,
    );
    return () => clearTimeout(timer);
  }, [item, state]);
  return [state, (changed) => setState((before) => ({ ...before, ...changed }))];
}

/** Only `useRunState` writes these items. */
function parseState(text: string): RunState {
  const stored = JSON.parse(text) as Omit<RunState, 'texts'> & {
    readonly texts: readonly (readonly [string, string])[];
  };
  return { ...stored, texts: new Map(stored.texts) };
}
