/**
 * Gemini signs tool calls in their field `extra_content`, and rejects calls that come back without
 * it. Other dialects have no place for that in a call, so it travels as hidden reasoning in front
 * of the call.
 */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { ReasoningBlock, ToolCallBlock, TurnBlock } from '../model/turns.ts';

/** The type of the part that has the signature. */
export const callSignature = 'call_signature';

/** The hidden reasoning for a signed call; undefined if the call is not signed. */
export function parseSignature({ extra_content: content }: JsonObject): ReasoningBlock | undefined {
  if (!isJsonObject(content)) return undefined;
  const original = {
    dialect: 'chat-completions',
    part: { type: callSignature, extra_content: content },
  } as const;
  return { kind: 'reasoning', text: '', isSummary: false, original, path: 'choices.*.message.tool_calls.*' };
}

export function isSignature({ original: { dialect, part } }: ReasoningBlock): boolean {
  return dialect === 'chat-completions' && part.type === callSignature;
}

/** The tool calls of a turn, each with the fields that its signature consists of. */
export function signedCalls(
  blocks: readonly TurnBlock[],
): readonly { readonly call: ToolCallBlock; readonly signature: JsonObject }[] {
  const calls: { readonly call: ToolCallBlock; readonly signature: JsonObject }[] = [];
  let signature: JsonObject = {};
  for (const block of blocks) {
    if (block.kind === 'reasoning' && isSignature(block))
      signature = { extra_content: block.original.part.extra_content };
    if (block.kind !== 'tool-call') continue;
    calls.push({ call: block, signature });
    signature = {};
  }
  return calls;
}
