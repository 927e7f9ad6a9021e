import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Block } from '../model/content.ts';
import type { DropLoss } from '../model/dialect.ts';
import { toolLabel } from '../model/tool-identity.ts';
import type { Turn, TurnBlock } from '../model/turns.ts';
import { fitReasoning } from '../openai/fit-reasoning.ts';

/**
 * Without `include_usage`, a stream ends without usage. The effort is the only setting for
 * reasoning that OpenAI has here. The others are OpenRouter's, as are caching tools and web search.
 */
export function fitRequest(body: JsonObject, drop: DropLoss): JsonObject {
  const { reasoning, stream_options: options, tools, ...rest } = body;
  const { effort, ...others } = fitReasoning(reasoning, drop);
  for (const name of Object.keys(others)) drop(`reasoning.${name}`);
  const streamOptions = isJsonObject(options) ? options : {};
  return {
    ...rest,
    ...(tools !== undefined && { tools: fitTools(tools, drop) }),
    ...(effort !== undefined && rest.reasoning_effort === undefined && { reasoning_effort: effort }),
    ...(rest.stream === true && { stream_options: { ...streamOptions, include_usage: true } }),
  };
}

function fitTools(tools: unknown, drop: DropLoss): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.flatMap((tool: unknown) => {
    if (!isJsonObject(tool)) return [tool];
    const { cache_control: cacheControl, ...rest } = tool;
    if (tool.type !== 'function' && tool.type !== 'custom') {
      drop(`tools.${toolLabel(tool) ?? '*'}`);
      return [];
    }
    if (cacheControl !== undefined) drop('tools.*.cache_control');
    return [rest];
  });
}

/** Leaves out `cache_control`, which only OpenRouter accepts here. */
export function fitTurn(turn: Turn, drop: (path: string) => void): Turn {
  const { content } = turn;
  if (typeof content === 'string') return turn;
  const path = turn.path === 'system' ? 'system.*' : `${turn.path}.content.*`;
  return { ...turn, content: content.map((block) => withoutCacheControl(block, path, drop)) };
}

function withoutCacheControl(block: TurnBlock, path: string, drop: (path: string) => void): TurnBlock {
  if (block.kind === 'tool-result') {
    if (typeof block.content === 'string') return block;
    const content = block.content.map(
      (each) => withoutCacheControl(each, `${path}.content.*`, drop) as Block,
    );
    return { ...block, content };
  }
  // The writer itself reports what other blocks lose.
  if ((block.kind !== 'text' && block.kind !== 'file') || !isCached(block.extras.fields)) return block;
  drop(`${path}.cache_control`);
  const { cache_control: _, ...fields } = block.extras.fields;
  return { ...block, extras: { ...block.extras, fields } };
}

function isCached({ cache_control: cacheControl }: { readonly cache_control?: unknown }): boolean {
  return cacheControl !== undefined && cacheControl !== null;
}
