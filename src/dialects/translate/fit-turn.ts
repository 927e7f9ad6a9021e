import type { Dialect } from '../../core/presets/preset.ts';
import type { Block } from './content.ts';
import type { ReasoningBlock, Turn, TurnBlock } from './turns.ts';

/**
 * Leaves out of a turn what an upstream of a dialect would reject: reasoning of another provider,
 * because providers verify it, and in chat completions `cache_control`, which only OpenRouter
 * accepts there.
 */
export function fitTurn(turn: Turn, to: Dialect, drop: (path: string) => void): Turn {
  if (typeof turn.content === 'string') return turn;
  const content = turn.content.filter((block) => {
    const isUsable = block.kind !== 'reasoning' || isAccepted(block, to);
    if (!isUsable) drop(block.path);
    return isUsable;
  });
  if (to !== 'chat-completions') return { ...turn, content };
  const path = turn.path === 'system' ? 'system.*' : `${turn.path}.content.*`;
  return { ...turn, content: content.map((block) => withoutCacheControl(block, path, drop)) };
}

/**
 * An item of responses without encrypted content is only a reference to what OpenAI has stored,
 * unless it has the reasoning itself.
 */
function isAccepted({ original: { dialect, part } }: ReasoningBlock, to: Dialect): boolean {
  if (dialect !== to) return false;
  if (to !== 'responses' || typeof part.encrypted_content === 'string') return true;
  return Array.isArray(part.content) && part.content.length > 0;
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
