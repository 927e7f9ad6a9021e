/**
 * Tools that only some dialects can declare.
 *
 * A custom tool has free text as its input. Messages has only functions, so it is declared there as
 * a function with one parameter, `input`. Responses can also group tools in a namespace, as Codex
 * does for each MCP server. Elsewhere these tools have a name that contains the namespace.
 *
 * Clients must get calls back in their own terms. `customToolNames` and `namespacedTools` tell
 * which calls those are.
 */

import type { Dialect } from '../../core/presets/preset.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';

/** The names of the custom tools of a request, which contain their namespace, if any. */
export function customToolNames(request: JsonObject, dialect: Dialect): ReadonlySet<string> {
  if (dialect === 'messages') return new Set();
  const tools = dialect === 'responses' ? flattenNamespaces(request.tools, () => {}) : request.tools;
  const names = toList(tools).map((tool) => customDefinition(tool, dialect)?.name);
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** The tools in namespaces of a responses request, by the name that contains the namespace. */
export function namespacedTools(
  request: JsonObject,
): ReadonlyMap<string, { readonly namespace: string; readonly name: string }> {
  const entries = toList(request.tools).flatMap((tool) => {
    if (!isNamespace(tool)) return [];
    const { name: namespace } = tool;
    const names = tool.tools.flatMap((each) => (isNamed(each) ? [each.name] : []));
    return names.map((name) => [flatToolName(namespace, name), { namespace, name }] as const);
  });
  return new Map(entries);
}

/** Replaces namespaces with their tools. Other dialects cannot express the description of one. */
export function flattenNamespaces(tools: unknown, drop: (path: string) => void): unknown {
  if (!toList(tools).some(isNamespace)) return tools;
  return toList(tools).flatMap((tool) => {
    if (!isNamespace(tool)) return [tool];
    const { name: namespace, description } = tool;
    if (typeof description === 'string' && description !== '') drop(`tools.${namespace}.description`);
    return tool.tools.map((each) =>
      isNamed(each) ? { ...each, name: flatToolName(namespace, each.name) } : each,
    );
  });
}

/** May be longer than a provider accepts: `fitToolNames` shortens it. */
export function flatToolName(namespace: string, name: string): string {
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
}

/** Declares the custom tools of an OpenAI dialect as functions of the same dialect. */
export function customToolsToFunctions(
  tools: unknown,
  dialect: Exclude<Dialect, 'messages'>,
  drop: (path: string) => void,
): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: unknown) => {
    const custom = customDefinition(tool, dialect);
    if (custom === undefined) return tool;
    const { name, description, format } = custom;
    if (isJsonObject(format) && format.type !== 'text') drop(`tools.${name}.format`);
    const definition = { name, ...(typeof description === 'string' && { description }), parameters };
    return dialect === 'responses'
      ? { type: 'function', ...definition }
      : { type: 'function', function: definition };
  });
}

const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** A choice of a custom tool, as a choice of the function that it is declared as. */
export function customChoiceToFunction(choice: unknown): unknown {
  if (!isJsonObject(choice) || choice.type !== 'custom') return choice;
  const { type: _, custom, ...rest } = choice;
  return { ...rest, type: 'function', ...(custom !== undefined && { function: custom }) };
}

function customDefinition(tool: unknown, dialect: Dialect): JsonObject | undefined {
  if (!isJsonObject(tool) || tool.type !== 'custom') return undefined;
  const definition = dialect === 'responses' ? tool : tool.custom;
  return isNamed(definition) ? definition : undefined;
}

function isNamespace(
  tool: unknown,
): tool is JsonObject & { readonly name: string; readonly tools: readonly unknown[] } {
  return isNamed(tool) && tool.type === 'namespace' && Array.isArray(tool.tools);
}

function isNamed(value: unknown): value is JsonObject & { readonly name: string } {
  return isJsonObject(value) && typeof value.name === 'string';
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
