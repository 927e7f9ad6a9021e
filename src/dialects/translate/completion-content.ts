/** Shared by the dialects to write the content of a completion. */

import type { Dialect } from '../../core/presets/preset.ts';
import type { JsonObject } from '../json-object.ts';
import type { CompletionContext } from './completion.ts';
import type { RefusalBlock, TextBlock } from './content.ts';
import { asObjects } from './loose-json.ts';
import { customInput } from './tool-input.ts';
import type { ReasoningBlock, ToolCallBlock, TurnBlock } from './turns.ts';

/** The blocks that a model produces. Parsers report all others as lost. */
export type OutputBlock = TextBlock | RefusalBlock | ReasoningBlock | ToolCallBlock;

/** The blocks of a completion, with tool calls as the client has declared the tools. */
export function outputBlocks(
  content: readonly TurnBlock[],
  { customTools, namespacedTools, toolNames }: CompletionContext,
): readonly OutputBlock[] {
  return content.filter(isOutput).map((block) => {
    if (!isToolCall(block)) return block;
    const called = toolNames?.get(block.name) ?? block.name;
    const isCustom = block.isCustom || customTools?.has(called) === true;
    const { name, namespace } = namespacedTools?.get(called) ?? { name: called };
    return {
      ...block,
      name,
      isCustom,
      input: isCustom && !block.isCustom ? customInput(block.input) : block.input,
      ...(namespace !== undefined && { extras: { dialect: 'responses', fields: { namespace } } }),
    };
  });
}

function isOutput(block: TurnBlock): block is OutputBlock {
  return isText(block) || isRefusal(block) || isReasoning(block) || isToolCall(block);
}

export function isText(block: TurnBlock): block is TextBlock {
  return block.kind === 'text';
}

export function isRefusal(block: TurnBlock): block is RefusalBlock {
  return block.kind === 'refusal';
}

export function isReasoning(block: TurnBlock): block is ReasoningBlock {
  return block.kind === 'reasoning';
}

export function isToolCall(block: TurnBlock): block is ToolCallBlock {
  return block.kind === 'tool-call';
}

/** Logprobs have the same form in both OpenAI dialects. They are an extra of the text. */
export function logprobsOf({ extras }: TextBlock | RefusalBlock): readonly JsonObject[] {
  return asObjects(extras.fields.logprobs);
}

/** Whether a text has logprobs that a dialect cannot express, as paths. */
export function logprobLosses(block: TextBlock | RefusalBlock): readonly string[] {
  return logprobsOf(block).length === 0 ? [] : [logprobPaths[block.extras.dialect]];
}

const logprobPaths: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'choices.*.logprobs',
  messages: 'content.*.logprobs',
  responses: 'output.*.content.*.logprobs',
};
