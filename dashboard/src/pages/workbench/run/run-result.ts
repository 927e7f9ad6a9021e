/**
 * The results of runs, and how they are stored in the tab.
 *
 * A result has everything that its call depended on, so that it can still be marked as outdated
 * after a reload. Those inputs may be large, and many results share them: each draft and each
 * conversation is stored once. Results beyond the limit are not stored: a reload loses them.
 */

import { ApiError } from '../../../api/api-error.ts';
import { parseExactJson } from '../../../api/exact-json.ts';
import { readItem, removeItem, resultPrefix, storeItem } from '../../../api/tab-storage.ts';
import type { Message } from '../../../features/runs/message.ts';
import type { CallInputs, ColumnCall } from './column-call.ts';
import { hasEnded, type Run } from './run.ts';

/** A run without what was sent, which may be large. */
export interface RunResult extends Omit<Run, 'request'> {
  /** Undefined if the call could not be made. */
  readonly inputs: CallInputs | undefined;
}

/** The run of a column in the conversation. */
export interface ColumnRun extends RunResult {
  readonly inputs: CallInputs;
}

export function resultOf({ request, ...run }: Run<ColumnCall>): ColumnRun {
  return { ...run, inputs: request.inputs };
}

export interface Results {
  /** By the id of the column. */
  readonly runs: ReadonlyMap<number, ColumnRun>;
  /** By `cellKey`. */
  readonly cells: ReadonlyMap<string, RunResult>;
}

/** Leaves more than half of the usual quota to drafts. */
const charactersMax = 2_000_000;

/** `name` identifies the person and the preset. */
export function storeResults(name: string, results: Results): void {
  const item = `${resultPrefix}${name}` as const;
  if (results.runs.size + results.cells.size === 0) removeItem(item);
  else storeItem(item, serializeResults(results));
}

/** Undefined if there are none. */
export function readResults(name: string): Results | undefined {
  const stored = readItem(`${resultPrefix}${name}`);
  return stored === undefined ? undefined : parseResults(stored);
}

interface StoredResult extends Omit<RunResult, 'inputs' | 'error'> {
  readonly inputs?: StoredInputs | undefined;
  readonly error?: StoredError | undefined;
}

/** The values that results share, as positions in the list of those. */
type StoredInputs = Omit<CallInputs, 'draft' | 'messages'> & {
  readonly draft: number | undefined;
  readonly messages: number;
};

type StoredError = Pick<Error, 'message'> & Partial<Pick<ApiError, 'status' | 'issues' | 'requestId'>>;

interface StoredResults {
  readonly runs: readonly (readonly [number, StoredResult & { readonly inputs: StoredInputs }])[];
  readonly cells: readonly (readonly [string, StoredResult])[];
  readonly shared: readonly unknown[];
}

/** As many results as fit, those of the conversation first. */
export function serializeResults({ runs, cells }: Results, lengthMax = charactersMax): string {
  const shared: string[] = [];
  const positions = new Map<unknown, number>();
  let free = lengthMax - JSON.stringify({ runs: [], cells: [], shared: [] }).length;

  /** Undefined if it does not fit. */
  function serialize([key, result]: readonly [key: string | number, result: RunResult]): string | undefined {
    const { draft, messages } = result.inputs ?? {};
    const added = [draft, messages].filter((value) => value !== undefined && !positions.has(value));
    const texts = added.map((value) => JSON.stringify(value));
    const positionOf = (value: unknown) =>
      positions.get(value) ?? shared.length + added.indexOf(value as string);
    const inputs = result.inputs && {
      ...result.inputs,
      draft: draft === undefined ? undefined : positionOf(draft),
      messages: positionOf(messages),
    };
    const error = result.error === undefined ? undefined : storedError(result.error);
    const text = JSON.stringify([key, { ...result, inputs, error } satisfies StoredResult]);
    const length = [text, ...texts].reduce((sum, each) => sum + each.length + 1, 0);
    if (length > free) return undefined;
    free -= length;
    for (const value of added) positions.set(value, positionOf(value));
    shared.push(...texts);
    return text;
  }

  const list = (entries: Iterable<readonly [string | number, RunResult]>) =>
    [...entries]
      .map(serialize)
      .filter((text) => text !== undefined)
      .join(',');
  return `{"runs":[${list(runs)}],"cells":[${list(cells)}],"shared":[${shared.join(',')}]}`;
}

function storedError(error: unknown): StoredError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  if (!(error instanceof ApiError)) return { message };
  return { message, status: error.status, issues: error.issues, requestId: error.requestId };
}

/** Only `serializeResults` writes these texts. */
export function parseResults(text: string): Results {
  const { runs, cells, shared } = parseExactJson(text) as StoredResults;
  const inputsOf = ({ draft, messages, ...inputs }: StoredInputs): CallInputs => ({
    ...inputs,
    version: inputs.version,
    variables: inputs.variables,
    draft: draft === undefined ? undefined : (shared[draft] as string),
    messages: shared[messages] as readonly Message[],
  });
  const resultFrom = <Inputs>({ phase, error, ...result }: StoredResult, inputs: Inputs) => ({
    ...result,
    // Leaving the page ended the others; they keep the text received so far.
    phase: hasEnded({ phase }) ? phase : ('stopped' as const),
    ...(error && { error: errorFrom(error) }),
    inputs,
  });
  return {
    runs: new Map(runs.map(([id, stored]) => [id, resultFrom(stored, inputsOf(stored.inputs))])),
    cells: new Map(
      cells.map(([key, stored]) => [key, resultFrom(stored, stored.inputs && inputsOf(stored.inputs))]),
    ),
  };
}

function errorFrom({ message, status, ...details }: StoredError): Error {
  return status === undefined ? new Error(message) : new ApiError(status, message, details);
}
