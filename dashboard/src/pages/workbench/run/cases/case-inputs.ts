import type { PresetCase } from '../../../../../../src/api/cases.ts';
import type { JsonObject } from '../../../../../../src/core/json/json-object.ts';
import { caseNameProblem } from '../../../../../../src/core/presets/case-name.ts';
import type { Message } from '../../../../features/runs/message.ts';
import type { RunState, VariableTexts } from '../../../../features/runs/run-state.ts';
import { type Variable, valueAsText } from '../../../../features/version-content/describe-variable.ts';
import { readVariables } from '../variable-values.ts';

/**
 * The variables of a case to save. Those that no column declares are kept: other versions may have
 * them. All others are as the form has them, so that they can be cleared.
 */
export function caseVariables(
  saved: JsonObject | undefined,
  declared: readonly Variable[],
  texts: VariableTexts,
): JsonObject {
  const names = new Set(declared.map(({ name }) => name));
  const others = Object.entries(saved ?? {}).filter(([name]) => !names.has(name));
  return { ...Object.fromEntries(others), ...readVariables(declared, texts).values };
}

/** A test case as the form has it. */
export interface CaseInputs extends Pick<RunState, 'messages' | 'texts'> {
  readonly name: string;
  readonly note: string | null;
}

export function caseInputs({ name, note, variables, messages }: PresetCase): CaseInputs {
  return {
    name,
    note,
    messages: messages as readonly Message[],
    texts: new Map(Object.entries(variables).map(([variable, value]) => [variable, valueAsText(value)])),
  };
}

/** The problem with the name of a case; undefined for none. */
export function nameProblem(name: string, isTaken: boolean): string | undefined {
  const rule = caseNameProblem(name);
  if (rule !== undefined) return `The name ${rule}.`;
  return isTaken ? `There is already a case ${name}.` : undefined;
}

/** The first of "Late (copy)", "Late (copy 2)", … that is not taken. */
export function nameOfCopy(name: string, taken: readonly string[]): string {
  let copy = `${name} (copy)`;
  for (let count = 2; taken.includes(copy); count += 1) copy = `${name} (copy ${count})`;
  return copy;
}
