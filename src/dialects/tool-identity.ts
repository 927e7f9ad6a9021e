import { isJsonObject, type JsonObject } from './json-object.ts';

/**
 * What makes two tools of one dialect the same, so that one of them stands for both. Models call a tool by its name,
 * so that all tools with a name share one space of names. Undefined for what is like no other.
 */
export function toolIdentity(tool: unknown): string | undefined {
  if (!isJsonObject(tool)) return undefined;
  const type = typeof tool.type === 'string' ? tool.type : '';
  if (isServerTool(tool)) return serverToolIdentity(type, tool);
  if (type === 'mcp') return typeof tool.server_label === 'string' ? `mcp ${tool.server_label}` : undefined;
  const name = toolName(tool);
  if (name !== undefined) return `name ${name}`;
  if (webSearchTypes.test(type)) return 'type web_search';
  return type === '' || nameless.has(type) ? undefined : `type ${type}`;
}

/** Whether it is one of those that OpenRouter runs itself. */
export function isServerTool(tool: unknown): tool is JsonObject & { readonly type: string } {
  return isJsonObject(tool) && typeof tool.type === 'string' && tool.type.startsWith('openrouter:');
}

/** The name that a model calls a tool by, wherever its dialect puts it. */
export function toolName(tool: JsonObject): string | undefined {
  return nameIn(tool.function) ?? nameIn(tool.custom) ?? nameIn(tool);
}

function nameIn(definition: unknown): string | undefined {
  return isJsonObject(definition) && typeof definition.name === 'string' ? definition.name : undefined;
}

/** OpenAI's, OpenRouter's and Anthropic's, with and without a date. */
export const webSearchTypes = /^web_search(_preview)?(_\d{4}_\d\d_\d\d|_\d{8})?$/;

/** Tools of these types go by a name; without it, nothing can be said of them. */
const nameless: ReadonlySet<string> = new Set(['function', 'custom']);

/** There may be several advisors and subagents, told apart by a name; of all others there is one. */
function serverToolIdentity(type: string, { parameters }: JsonObject): string {
  if (type !== 'openrouter:advisor' && type !== 'openrouter:subagent') return type;
  const name = isJsonObject(parameters) && typeof parameters.name === 'string' ? parameters.name : '';
  return `${type} ${name}`;
}
