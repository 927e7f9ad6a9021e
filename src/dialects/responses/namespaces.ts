/**
 * Responses can group tools in a namespace, as Codex does for each MCP server. Elsewhere these
 * tools have a name that contains the namespace. Clients must get calls back in their own terms.
 */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asList, asObjects } from '../../core/json/loose-json.ts';
import type { NamespacedTools } from '../model/completion.ts';

/** The names of the custom tools of a request, which contain their namespace, if any. */
export function findCustomNames({ tools }: JsonObject): ReadonlySet<string> {
  const names = asObjects(flattenNamespaces(tools, () => {}))
    .filter(({ type }) => type === 'custom')
    .map(({ name }) => name);
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** The tools in namespaces, by the name that contains the namespace. */
export function findNamespacedTools(request: JsonObject): NamespacedTools {
  const entries = asList(request.tools).flatMap((tool) => {
    if (!isNamespace(tool)) return [];
    const { name: namespace } = tool;
    const names = tool.tools.flatMap((each) => (isNamed(each) ? [each.name] : []));
    return names.map((name) => [flatToolName(namespace, name), { namespace, name }] as const);
  });
  return new Map(entries);
}

/** Replaces namespaces with their tools. Other dialects cannot express the description of one. */
export function flattenNamespaces(tools: unknown, drop: (path: string) => void): unknown {
  if (!asList(tools).some(isNamespace)) return tools;
  return asList(tools).flatMap((tool) => {
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

function isNamespace(
  tool: unknown,
): tool is JsonObject & { readonly name: string; readonly tools: readonly unknown[] } {
  return isNamed(tool) && tool.type === 'namespace' && Array.isArray(tool.tools);
}

function isNamed(value: unknown): value is JsonObject & { readonly name: string } {
  return isJsonObject(value) && typeof value.name === 'string';
}
