import { type FunctionIdea, type Idea, type ToolIdea, unshared } from './ideas.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { isServerTool, toolName, webSearchTypes } from './tool-identity.ts';

/** One idea for every tool in a list, under the name or the type that tells it from the others. */
export function readTools(
  tools: unknown,
  from: string,
  readTool: (tool: JsonObject) => ToolIdea | undefined,
): readonly Idea[] {
  if (!Array.isArray(tools)) return [unshared(from)];
  return tools.map((tool: unknown, place): Idea => {
    if (!isJsonObject(tool)) return unshared(`${from}.${place}`);
    const name = `${from}.${toolLabel(tool) ?? place}`;
    const value: ToolIdea | undefined = isServerTool(tool) ? { type: 'server', tool } : readTool(tool);
    return value === undefined ? unshared(name) : { kind: 'tool', value, from: name };
  });
}

/** The name or the type that people know a tool by; undefined where it has neither. */
export function toolLabel(tool: JsonObject): string | undefined {
  return [toolName(tool), tool.server_label, tool.type].find((label) => typeof label === 'string');
}

/** A function from its definition, whose schema may go by another name. */
export function readFunction(definition: JsonObject, extras: JsonObject = {}): FunctionIdea {
  const { name, description, parameters, strict, ...rest } = definition;
  return { type: 'function', name, description, parameters, strict, extras: { ...rest, ...extras } };
}

/** Of the extras of a function, those that a dialect knows; the others are told to `lose`. */
export function knownExtras(
  { extras }: FunctionIdea,
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
