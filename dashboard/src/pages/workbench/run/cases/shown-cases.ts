/** Which rows of the table are shown and selected. */

import type { Message } from '../../../../features/runs/message.ts';
import { textOf } from '../../../../features/runs/message.ts';
import type { RunResult } from '../run-result.ts';
import { cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';

export type ResultFilter = 'all' | 'failed' | 'different' | 'none';

export const resultFilters: readonly (readonly [ResultFilter, string])[] = [
  ['all', 'All'],
  ['failed', 'Failed'],
  ['different', 'Different only'],
  ['none', 'No result'],
];

/** The names of cases that have such results now. Undefined for all. */
export function namesWith(
  filter: ResultFilter,
  cases: readonly CaseInputs[],
  columns: readonly number[],
  cells: ReadonlyMap<string, RunResult>,
): ReadonlySet<string> | undefined {
  if (filter === 'all') return undefined;
  const isShown = (results: readonly (RunResult | undefined)[]) => {
    if (filter === 'failed') return results.some((result) => result?.phase === 'failed');
    if (filter === 'none')
      return results.some((result) => result === undefined || result.phase === 'stopped');
    const texts = results.flatMap((result) => (result?.phase === 'done' ? [answerOf(result)] : []));
    return new Set(texts).size > 1;
  };
  const names = cases.map(({ name }) => name);
  return new Set(names.filter((name) => isShown(columns.map((id) => cells.get(cellKey(name, id))))));
}

/** The text and tool calls of a response, to compare it with others. */
export function answerOf({ response: { text, toolCalls } }: RunResult): string {
  return JSON.stringify([text, toolCalls.map((call) => [call.name, call.argumentText])]);
}

/** A case can have a megabyte; people search for how it begins. */
const searchedCharacters = 4_000;

/** Finds cases in which every word occurs: in the name, the note, the variables or the messages. */
export function createSearch(cases: readonly CaseInputs[]): (q: string) => readonly CaseInputs[] {
  const texts = new Map<CaseInputs, string>();
  const textIn = (one: CaseInputs) => {
    const known = texts.get(one) ?? searchedText(one);
    texts.set(one, known);
    return known;
  };
  return (q) => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return cases;
    return cases.filter((one) => words.every((word) => textIn(one).includes(word)));
  };
}

function searchedText({ name, note, texts, messages }: CaseInputs): string {
  const parts = [name, note ?? '', ...texts.values(), ...messages.map((message: Message) => textOf(message))];
  return parts
    .map((part) => part.slice(0, searchedCharacters))
    .join('\n')
    .toLowerCase();
}

/** Selects or deselects a row, and all up to the row that was changed before it. */
export function withRange(
  selected: ReadonlySet<string>,
  names: readonly string[],
  { from, to, isSelected }: { from: string | undefined; to: string; isSelected: boolean },
): ReadonlySet<string> {
  const end = names.indexOf(to);
  const start = from === undefined ? -1 : names.indexOf(from);
  const range = start === -1 ? [to] : names.slice(Math.min(start, end), Math.max(start, end) + 1);
  const others = [...selected].filter((name) => !range.includes(name));
  return new Set(isSelected ? [...others, ...range] : others);
}
