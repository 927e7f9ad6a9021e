import { type Concept, dialectSpecific, type FunctionConcept, type ToolConcept } from './concepts.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { isServerTool, toolName, webSearchTypes } from './tool-identity.ts';

/** One concept for every tool in a list, under the name or the type that tells it from the others. */
export function parseTools(
  tools: unknown,
  from: string,
  readTool: (tool: JsonObject) => ToolConcept | undefined,
): readonly Concept[] {
  if (!Array.isArray(tools)) return [dialectSpecific(from)];
  return tools.map((tool: unknown, place): Concept => {
    if (!isJsonObject(tool)) return dialectSpecific(`${from}.${place}`);
    const name = `${from}.${toolLabel(tool) ?? place}`;
    const value: ToolConcept | undefined = isServerTool(tool) ? { type: 'server', tool } : readTool(tool);
    return value === undefined ? dialectSpecific(name) : { kind: 'tool', value, from: name };
  });
}

/** The name or the type that people know a tool by; undefined where it has neither. */
export function toolLabel(tool: JsonObject): string | undefined {
  return [toolName(tool), tool.server_label, tool.type].find((label) => typeof label === 'string');
}

/** A function from its definition, whose schema may go by another name. */
export function parseFunction(definition: JsonObject, extras: JsonObject = {}): FunctionConcept {
  const { name, description, parameters, strict, ...rest } = definition;
  return { type: 'function', name, description, parameters, strict, extras: { ...rest, ...extras } };
}

/** Of the extras of a function, those that a dialect knows; the others are told to `lose`. */
export function pickSupportedExtras(
  { extras }: FunctionConcept,
  known: readonly string[],
  lose: (part: string) => void,
): JsonObject {
  const names = Object.keys(extras).filter((name) => extras[name] !== null);
  for (const name of names) if (!known.includes(name)) lose(name);
  return Object.fromEntries(names.filter((name) => known.includes(name)).map((name) => [name, extras[name]]));
}

export function isWebSearch({ type }: JsonObject): boolean {
  return typeof type === 'string' && webSearchTypes.test(type);
}
