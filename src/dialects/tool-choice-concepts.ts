import { type Concept, dialectSpecific, type ToolChoiceConcept } from './concepts.ts';
import { isJsonObject } from './json-object.ts';
import { isWebSearch } from './tool-concepts.ts';
import { isServerTool } from './tool-identity.ts';

/** What both OpenAI dialects say of the choice of a tool, in the flat form of the responses dialect. */
export function parseToolChoice(choice: unknown, from: string): Concept {
  const value = choiceConcept(choice);
  return value === undefined ? dialectSpecific(from) : { kind: 'toolChoice', value, from };
}

function choiceConcept(choice: unknown): ToolChoiceConcept | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  const { type, name, mode, tools } = choice;
  if (type === 'function' || type === 'custom') return { type, name };
  if (type === 'allowed_tools' && Array.isArray(tools)) return { type: 'allowed', mode, tools };
  return isServerTool(choice) || isWebSearch(choice) ? { type: 'server', choice } : undefined;
}
