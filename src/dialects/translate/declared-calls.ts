import type { CompletionContext } from '../model/completion.ts';
import { customInput } from '../model/tool-input.ts';
import { isToolCall, type OutputBlock, type ToolCallBlock } from '../model/turns.ts';

/**
 * A tool call in the terms of the client, whose declaration the upstream may know as a function, or
 * by another name.
 */
export function asDeclared(
  call: Pick<ToolCallBlock, 'name' | 'isCustom'>,
  { customTools, namespacedTools, toolNames }: CompletionContext,
): Pick<ToolCallBlock, 'name' | 'isCustom' | 'namespace'> {
  const called = toolNames?.get(call.name) ?? call.name;
  const isCustom = call.isCustom || customTools?.has(called) === true;
  return { name: called, ...namespacedTools?.get(called), isCustom };
}

/** The content of a completion with all tool calls in the terms of the client. */
export function withDeclaredCalls(
  content: readonly OutputBlock[],
  context: CompletionContext,
): readonly OutputBlock[] {
  return content.map((block) => {
    if (!isToolCall(block)) return block;
    const declared = asDeclared(block, context);
    const input = declared.isCustom && !block.isCustom ? customInput(block.input) : block.input;
    return { ...block, ...declared, input };
  });
}
