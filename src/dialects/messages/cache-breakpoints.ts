import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { DropLoss } from '../model/dialect.ts';

/** Anthropic rejects a request with more. The field of the request itself counts, too. */
const breakpointsMax = 4;

/**
 * Removes each `cache_control` of a messages request that exceeds the limit. Those of tools and of
 * the system prompt are the same in every call of a conversation, so they are kept before those of
 * messages, of which the last ones matter: they cache the most.
 */
export function limitCacheBreakpoints(body: JsonObject, drop: DropLoss): JsonObject {
  const { tools, system, messages, cache_control: own } = body;
  const counts = { tools: count(tools), system: count(system), messages: count(messages) };
  const available = breakpointsMax - (isJsonObject(own) ? 1 : 0);
  const prefix = counts.tools + counts.system;
  if (prefix + counts.messages <= available) return body;
  const excess = prefix - available;
  const remove = (value: unknown, path: string, times: number, loss?: 'systemCache') =>
    times <= 0 ? value : removeFirst(value, path, { left: times }, (lost) => drop(lost, loss));
  return {
    ...body,
    ...(tools !== undefined && { tools: remove(tools, 'tools', excess) }),
    ...(system !== undefined && { system: remove(system, 'system', excess - counts.tools, 'systemCache') }),
    messages: remove(messages, 'messages', counts.messages - Math.max(0, available - prefix)),
  };
}

/** Blocks, messages and results of tool calls may all have a list of blocks in `content`. */
function count(list: unknown): number {
  if (!Array.isArray(list)) return 0;
  return list.reduce((sum: number, item: unknown) => {
    if (!isJsonObject(item)) return sum;
    return sum + (isJsonObject(item.cache_control) ? 1 : 0) + count(item.content);
  }, 0);
}

/** Removes as many breakpoints as are `left`, in the order in which Anthropic sees the content. */
function removeFirst(
  list: unknown,
  path: string,
  remaining: { left: number },
  drop: (path: string) => void,
): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((item: unknown) => {
    if (!isJsonObject(item) || remaining.left === 0) return item;
    const { content } = item;
    const inner = Array.isArray(content)
      ? { ...item, content: removeFirst(content, `${path}.*.content`, remaining, drop) }
      : item;
    if (!isJsonObject(item.cache_control) || remaining.left === 0) return inner;
    remaining.left -= 1;
    drop(`${path}.*.cache_control`);
    const { cache_control: _, ...rest } = inner as JsonObject;
    return rest;
  });
}
