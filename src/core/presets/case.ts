import { PresetdError } from '../errors.ts';
import { casesMax } from './case-name.ts';
import type { CaseRecord, CurrentCases, PresetState } from './preset.ts';
import { assertNotArchived, newEvent, type PresetChange } from './preset-change.ts';
import type { NewEvent } from './preset-event.ts';

/**
 * Test cases: named inputs to try a preset with, which everyone with access to it shares. Each
 * change is a change of the preset: it gets a new ETag and an event, which names the case and has
 * nothing of its content.
 */

/** A change of cases as one event and its rows, which get the number of the event. */
interface CaseStep {
  readonly event: NewEvent;
  readonly records: readonly Omit<CaseRecord, 'number'>[];
}

/** Like `PresetRule`, with the cases of the preset. */
export type CaseRule = (current: PresetState, cases: CurrentCases, at: string) => PresetChange | undefined;

/**
 * Creates or replaces the case, and renames it if `newName` is another name. A case that has this
 * name and content already is not changed.
 */
export function saveCase(name: string, newName: string, contentJson: string): CaseRule {
  return (current, cases, at) => {
    assertNotArchived(current, 'changing its cases');
    const before = cases.contents.get(name);
    if (newName !== name) {
      if (before === undefined) throw unknownCase(current.slug, name);
      if (cases.names.has(newName)) throw caseTaken(current.slug, newName);
    }
    if (before === undefined && cases.names.size >= casesMax) throw tooManyCases(current.slug);
    const renaming = before === undefined || newName === name ? [] : [renameStep(name, newName, before)];
    return changeCases(current, at, [...renaming, ...saveSteps(newName, before, contentJson)]);
  };
}

export function removeCase(name: string): CaseRule {
  return (current, cases, at) => {
    assertNotArchived(current, 'changing its cases');
    if (!cases.names.has(name)) throw unknownCase(current.slug, name);
    return changeCases(current, at, [removeStep(name)]);
  };
}

/** Replaces the cases of a preset with those of an import. Cases without content keep theirs. */
export function importSteps(
  cases: CurrentCases,
  names: readonly string[],
  contents: ReadonlyMap<string, string>,
): readonly CaseStep[] {
  const kept = new Set(names);
  return [
    ...[...cases.names].filter((name) => !kept.has(name)).map(removeStep),
    ...[...contents].flatMap(([name, content]) => saveSteps(name, cases.contents.get(name), content)),
  ];
}

/** The rows of these steps. The first step has the event number after `revision`. */
export function caseRecords(steps: readonly CaseStep[], revision: number): readonly CaseRecord[] {
  return steps.flatMap(({ records }, index) =>
    records.map((record) => ({ ...record, number: revision + index + 1 })),
  );
}

export function unknownCase(slug: string, name: string): PresetdError {
  return new PresetdError('not_found', `The preset "${slug}" has no case "${name}".`);
}

function changeCases(current: PresetState, at: string, steps: readonly CaseStep[]): PresetChange | undefined {
  if (steps.length === 0) return undefined;
  return {
    at,
    next: { ...current, updatedAt: at, revision: current.revision + steps.length },
    versions: [],
    cases: caseRecords(steps, current.revision),
    events: steps.map(({ event }) => event),
  };
}

function saveSteps(name: string, before: string | undefined, contentJson: string): readonly CaseStep[] {
  if (before === contentJson) return [];
  const named = { case: name };
  const event = newEvent('preset.case_saved', before === undefined ? null : named, named);
  return [{ event, records: [{ name, contentJson }] }];
}

function renameStep(name: string, newName: string, contentJson: string): CaseStep {
  return {
    event: newEvent('preset.case_renamed', { case: name }, { case: newName }),
    records: [
      { name, contentJson: null },
      { name: newName, contentJson },
    ],
  };
}

function removeStep(name: string): CaseStep {
  return {
    event: newEvent('preset.case_removed', { case: name }, null),
    records: [{ name, contentJson: null }],
  };
}

function caseTaken(slug: string, name: string): PresetdError {
  return new PresetdError(
    'conflict',
    `The preset "${slug}" already has a case "${name}". Choose another name, or remove that case first.`,
  );
}

function tooManyCases(slug: string): PresetdError {
  return new PresetdError(
    'conflict',
    `The preset "${slug}" already has ${casesMax} cases, the maximum. Remove one first.`,
  );
}
