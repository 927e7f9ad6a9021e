/** Shared by the dialects to parse and write tools. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import {
  type Concept,
  dialectSpecific,
  type FunctionConcept,
  type SchemaOrigin,
  type ToolConcept,
} from './concepts.ts';
import { isServerTool, isToolSearch, toolLabel } from './tool-identity.ts';

/**
 * Yields one concept per tool, and one for each part that `parseTool` drops. Their paths begin with
 * the tool's label, or with its index.
 */
export function parseTools(
  tools: unknown,
  path: string,
  parseTool: (tool: JsonObject, drop: (part: string) => void) => ToolConcept | undefined,
): readonly Concept[] {
  if (!Array.isArray(tools)) return [dialectSpecific(path)];
  const canSearch = tools.some((tool) => isServerTool(tool) && isToolSearch(tool));
  return tools.flatMap((given: unknown, index): readonly Concept[] => {
    if (!isJsonObject(given)) return [dialectSpecific(`${path}.${index}`)];
    const toolPath = `${path}.${toolLabel(given) ?? index}`;
    const dropped: Concept[] = [];
    const drop = (part: string) => dropped.push(dialectSpecific(`${toolPath}.${part}`));
    const tool = canSearch ? given : withoutDeferral(given, drop);
    const value: ToolConcept | undefined = isServerTool(tool)
      ? { type: 'server', tool }
      : parseTool(tool, drop);
    return value === undefined
      ? [dialectSpecific(toolPath)]
      : [{ kind: 'tool', value, path: toolPath }, ...dropped];
  });
}

/**
 * Without a tool that searches for it, a model never sees a deferred tool, and OpenAI rejects it.
 * Such a tool has no counterpart in other dialects, except for OpenRouter's.
 */
function withoutDeferral(tool: JsonObject, drop: (part: string) => void): JsonObject {
  const { defer_loading: isDeferred, ...rest } = tool;
  if (isDeferred === true) drop('defer_loading');
  return isDeferred === undefined ? tool : rest;
}

/** Parses a function definition. The caller has renamed the schema to `parameters` if necessary. */
export function parseFunction(
  definition: JsonObject,
  schemaOrigin: SchemaOrigin,
  more: JsonObject = {},
): FunctionConcept {
  const { name, description, parameters, strict, ...rest } = definition;
  const extras = { ...rest, ...more };
  return { type: 'function', name, description, parameters, strict, schemaOrigin, extras };
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
