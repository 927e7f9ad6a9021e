import type { PresetCase } from '../../../../../src/api/cases.ts';
import { valueAsText } from '../../preset/describe-variable.ts';
import type { Message } from './conversation.ts';
import type { RunState } from './run-state.ts';

/** A test case as the form has it. */
export interface CaseInputs extends Pick<RunState, 'messages' | 'texts'> {
  readonly name: string;
}

export function caseInputs({ name, variables, messages }: PresetCase): CaseInputs {
  return {
    name,
    messages: messages as readonly Message[],
    texts: new Map(Object.entries(variables).map(([variable, value]) => [variable, valueAsText(value)])),
  };
}
