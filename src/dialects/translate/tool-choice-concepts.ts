import { isJsonObject } from '../json-object.ts';
import { isServerTool } from '../tool-identity.ts';
import { type Concept, dialectSpecific, type ToolChoiceConcept } from './concepts.ts';
import { isWebSearch } from './tool-concepts.ts';

/** Parses a tool choice of either OpenAI dialect, in the flat form that responses has. */
export function parseToolChoice(choice: unknown, path: string): Concept {
  const value = toChoiceConcept(choice);
  return value === undefined ? dialectSpecific(path) : { kind: 'toolChoice', value, path };
}

/** Returns undefined for choices that only one dialect has. */
function toChoiceConcept(choice: unknown): ToolChoiceConcept | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  const { type, name, mode, tools } = choice;
  if (type === 'function' || type === 'custom') return { type, name };
  if (type === 'allowed_tools' && Array.isArray(tools)) return { type: 'allowed', mode, tools };
  return isServerTool(choice) || isWebSearch(choice) ? { type: 'server', choice } : undefined;
}
