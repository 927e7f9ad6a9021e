/** Shared by the dialects to parse and write tools. */

import { isJsonObject, type JsonObject } from '../json-object.ts';
import { isServerTool, toolLabel } from '../tool-identity.ts';
import { type Concept, dialectSpecific, type FunctionConcept, type ToolConcept } from './concepts.ts';

/** Yields one concept per tool. Its path ends with the tool's label, or with its index. */
export function parseTools(
  tools: unknown,
  path: string,
  parseTool: (tool: JsonObject) => ToolConcept | undefined,
): readonly Concept[] {
  if (!Array.isArray(tools)) return [dialectSpecific(path)];
  return tools.map((tool: unknown, index): Concept => {
    if (!isJsonObject(tool)) return dialectSpecific(`${path}.${index}`);
    const toolPath = `${path}.${toolLabel(tool) ?? index}`;
    const value: ToolConcept | undefined = isServerTool(tool) ? { type: 'server', tool } : parseTool(tool);
    return value === undefined ? dialectSpecific(toolPath) : { kind: 'tool', value, path: toolPath };
  });
}

/** Parses a function definition. The caller has renamed the schema to `parameters` if necessary. */
export function parseFunction(definition: JsonObject, extras: JsonObject = {}): FunctionConcept {
  const { name, description, parameters, strict, ...rest } = definition;
  return { type: 'function', name, description, parameters, strict, extras: { ...rest, ...extras } };
}

/** The extras of a function that a dialect supports. Calls `drop` for the others. */
export function pickSupportedExtras(
  { extras }: FunctionConcept,
  supported: readonly string[],
  drop: (part: string) => void,
): JsonObject {
  const names = Object.keys(extras).filter((name) => extras[name] !== null);
  for (const name of names) if (!supported.includes(name)) drop(name);
  return Object.fromEntries(
    names.filter((name) => supported.includes(name)).map((name) => [name, extras[name]]),
  );
}
