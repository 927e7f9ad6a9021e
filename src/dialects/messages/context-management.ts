import { Type } from 'typebox';
import { nullable } from '../schema/nullable.ts';
import { openUnion } from '../schema/tagged-union.ts';

const inputTokens = Type.Object({ type: Type.Literal('input_tokens'), value: Type.Integer() });
const toolUses = Type.Object({ type: Type.Literal('tool_uses'), value: Type.Integer() });
const thinkingTurns = Type.Object({ type: Type.Literal('thinking_turns'), value: Type.Integer() });

/** Edit types end with a date, so that Anthropic can add new ones; unknown types pass unchecked. */
const edit = openUnion('type', [
  Type.Object({
    type: Type.Literal('clear_tool_uses_20250919'),
    trigger: Type.Optional(openUnion('type', [inputTokens, toolUses])),
    keep: Type.Optional(toolUses),
    clear_at_least: Type.Optional(nullable(inputTokens)),
    clear_tool_inputs: Type.Optional(nullable(Type.Union([Type.Boolean(), Type.Array(Type.String())]))),
    exclude_tools: Type.Optional(nullable(Type.Array(Type.String()))),
  }),
  Type.Object({
    type: Type.Literal('clear_thinking_20251015'),
    keep: Type.Optional(Type.Union([Type.Literal('all'), openUnion('type', [thinkingTurns])])),
  }),
  Type.Object({
    type: Type.Literal('compact_20260112'),
    trigger: Type.Optional(nullable(inputTokens)),
    instructions: Type.Optional(nullable(Type.String())),
    pause_after_compaction: Type.Optional(Type.Boolean()),
  }),
]);

/** What to remove from a conversation that grows too long. */
export const contextManagement = Type.Object({ edits: Type.Optional(Type.Array(edit)) });
