import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';

/**
 * Two tools with the same identity are the same tool: merging lets one replace the other, and
 * comparing aligns them. Models call tools by name, so all named tools share one namespace,
 * whatever their type. Returns undefined for tools that cannot be identified.
 */
export function toolIdentity(tool: unknown): string | undefined {
  if (!isJsonObject(tool)) return undefined;
  const type = typeof tool.type === 'string' ? tool.type : '';
  if (isServerTool(tool)) return serverToolIdentity(type, tool);
  if (type === 'mcp') return typeof tool.server_label === 'string' ? `mcp ${tool.server_label}` : undefined;
  const name = toolName(tool);
  if (name !== undefined) return `name ${name}`;
  if (isWebSearch(tool)) return 'type web_search';
  return type === '' || namedTypes.has(type) ? undefined : `type ${type}`;
}

/** Whether OpenRouter itself runs the tool. */
export function isServerTool(tool: unknown): tool is JsonObject & { readonly type: string } {
  return isJsonObject(tool) && typeof tool.type === 'string' && tool.type.startsWith('openrouter:');
}

/** The name that a model calls a tool by, in the form of any dialect; undefined if it has none. */
export function toolName(tool: JsonObject): string | undefined {
  return nameIn(tool.function) ?? nameIn(tool.custom) ?? nameIn(tool);
}

/** The name, server label or type by which people recognize a tool; undefined if it has none. */
export function toolLabel(tool: JsonObject): string | undefined {
  return [toolName(tool), tool.server_label, tool.type].find((label) => typeof label === 'string');
}

export function isWebSearch({ type }: JsonObject): boolean {
  return typeof type === 'string' && webSearchTypes.test(type);
}

/** Whether a tool lets models find tools that are loaded on demand. */
export function isToolSearch(tool: unknown): boolean {
  return isJsonObject(tool) && typeof tool.type === 'string' && toolSearchTypes.test(tool.type);
}

function nameIn(definition: unknown): string | undefined {
  return isJsonObject(definition) && typeof definition.name === 'string' ? definition.name : undefined;
}

/** The web search types of OpenAI, OpenRouter and Anthropic, with and without a date. */
const webSearchTypes = /^web_search(_preview)?(_\d{4}_\d\d_\d\d|_\d{8})?$/;

/** The tool search types of OpenAI, OpenRouter and Anthropic; its two also come with a date. */
const toolSearchTypes = /^(openrouter:)?tool_search(_tool_(bm25|regex)(_\d{8})?)?$/;

/** Tools of these types are identified by name only. */
const namedTypes: ReadonlySet<string> = new Set(['function', 'custom']);

/** Advisors and subagents are identified by name, all other server tools by type alone. */
function serverToolIdentity(type: string, { parameters }: JsonObject): string {
  if (type !== 'openrouter:advisor' && type !== 'openrouter:subagent') return type;
  const name = isJsonObject(parameters) && typeof parameters.name === 'string' ? parameters.name : '';
  return `${type} ${name}`;
}
