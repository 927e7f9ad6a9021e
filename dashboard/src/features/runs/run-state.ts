/** The setup of runs, and how it is stored in the tab. */

import { draftPrefix, readItem, storeItem } from '../../api/tab-storage.ts';
import type { Attachment, Message, PendingCall } from './message.ts';

export interface RunState {
  readonly messages: readonly Message[];
  /** The message that is being typed, and its images and files. */
  readonly composed: string;
  readonly attachments: readonly Attachment[];
  readonly texts: VariableTexts;
  /** Typed results of tool calls, by `resultKey`. */
  readonly toolResults?: Readonly<Record<string, string>> | undefined;
  readonly columns: readonly Column[];
  /** The test case that was loaded; undefined for none. */
  readonly caseName?: string | undefined;
  /** The view of the Run part; one conversation at first. */
  readonly view?: RunView | undefined;
  /** Whether the variables that have a value are fields, too, and not one line. */
  readonly showsVariables?: boolean | undefined;
}

export type RunView = 'one' | 'all';

/** By variable name; also those of other versions. */
export type VariableTexts = ReadonlyMap<string, string>;

/** A version or the draft to try, with its model. */
export interface Column {
  readonly id: number;
  readonly source: Source;
  /** Replaces the model of the source; empty for none. */
  readonly model: string;
}

/** The draft on the page, the live version, or a fixed one. */
export type Source = 'draft' | 'live' | number;

/** The source that a choice in a select stands for. */
export function parseSource(value: string): Source {
  return value === 'draft' || value === 'live' ? value : Number(value);
}

export const columnsMax = 4;

/** The part that a test case replaces. */
export type RunInputs = Pick<
  RunState,
  'messages' | 'composed' | 'attachments' | 'texts' | 'toolResults' | 'caseName'
>;

const noInputs: RunInputs = {
  messages: [],
  composed: '',
  attachments: [],
  texts: new Map(),
  toolResults: undefined,
  caseName: undefined,
};

/** Inputs of which only some are given. */
export function newInputs(given: Partial<RunInputs>): RunInputs {
  return { ...noInputs, ...given };
}

export function inputsOf(state: RunState): RunInputs {
  const { messages, composed, attachments, texts, toolResults, caseName } = state;
  return { messages, composed, attachments, texts, toolResults, caseName };
}

/** Whether there is nothing that the user could miss. */
export function isEmpty({ messages, composed, attachments, texts }: RunInputs): boolean {
  const isBlank = composed.trim() === '' && [...texts.values()].every((text) => text === '');
  return isBlank && messages.length === 0 && attachments.length === 0;
}

/** Columns may call tools by the same id, and another run may call another tool by it. */
export function resultKey(column: number, call: PendingCall): string {
  return `${column} ${call.id} ${call.name}`;
}

const firstColumn: Column = { id: 1, source: 'draft', model: '' };

/** People who cannot edit have no draft to try. */
export function emptyRunState(canDraft: boolean): RunState {
  return { ...noInputs, columns: [canDraft ? firstColumn : { ...firstColumn, source: 'live' }] };
}

/** By the id of the preset, so that renaming it keeps everything. */
export function runName(accountId: string, presetId: string): string {
  return `${accountId}/${presetId}`;
}

function itemOf(name: string) {
  return `${draftPrefix}run/${name}` as const;
}

/** `name` identifies the person and the preset. Undefined if nothing was set up yet. */
export function readRunState(name: string): RunState | undefined {
  const stored = readItem(itemOf(name));
  return stored === undefined ? undefined : parseState(stored);
}

/** Over the browser's quota, such as with large attachments, it is kept until the page reloads. */
export function storeRunState(name: string, state: RunState): void {
  storeItem(itemOf(name), JSON.stringify({ ...state, texts: [...state.texts] }));
}

/** Only `storeRunState` writes these items. */
function parseState(text: string): RunState {
  const stored = JSON.parse(text) as Omit<RunState, 'texts'> & {
    readonly texts: readonly (readonly [string, string])[];
  };
  return { ...stored, texts: new Map(stored.texts) };
}
