import { Type } from '../../core/type.ts';
import { anyObject, closedUnion, nullable, openUnion } from '../schema/combinators.ts';
import { endUser, routingFields } from '../schema/openrouter-fields.ts';
import { cacheControl } from '../schema/prompt-caching.ts';
import { promptReference } from '../schema/prompt-reference.ts';
import { temperature, tokenLimit, topK, topP } from '../schema/sampling.ts';
import { message, textBlock } from './conversation.ts';
import { tool, toolChoice } from './tools.ts';

/** OpenRouter accepts only models. Anthropic accepts more fields, or `default` for its own list. */
const fallbacks = Type.Union([
  Type.Literal('default'),
  Type.Array(Type.Object({ model: Type.String() }), { maxItems: 3 }),
]);

/** The container in which Anthropic runs code, by id or with the skills to load into it. */
const container = Type.Union([
  Type.String(),
  Type.Object({
    id: Type.Optional(nullable(Type.String())),
    skills: Type.Optional(
      nullable(Type.Array(Type.Object({ type: Type.String(), skill_id: Type.String() }))),
    ),
  }),
]);

/** Anthropic declares MCP servers here. Responses has them among its tools. */
const mcpServer = Type.Object({
  type: Type.Literal('url'),
  name: Type.String(),
  url: Type.String(),
  authorization_token: Type.Optional(nullable(Type.String())),
  tool_configuration: Type.Optional(
    nullable(
      Type.Object({
        allowed_tools: Type.Optional(nullable(Type.Array(Type.String()))),
        enabled: Type.Optional(nullable(Type.Boolean())),
      }),
    ),
  ),
});

const visibilityFields = {
  display: Type.Optional(nullable(Type.Enum(['summarized', 'omitted', 'updates']))),
  block_binding: Type.Optional(nullable(Type.Object({}))),
};

/** The type decides which fields are allowed: only `enabled` has, and requires, a token budget. */
const thinking = closedUnion('type', [
  Type.Object({ type: Type.Literal('enabled'), budget_tokens: Type.Integer(), ...visibilityFields }),
  Type.Object({ type: Type.Literal('adaptive'), ...visibilityFields }),
  Type.Object({ type: Type.Literal('between_tools') }),
  Type.Object({ type: Type.Literal('disabled') }),
]);

/** Also the schema of the older top-level field `output_format`. */
const outputFormat = Type.Object({ type: Type.Literal('json_schema'), schema: anyObject });

const outputConfig = Type.Object({
  effort: Type.Optional(nullable(Type.Enum(['low', 'medium', 'high', 'xhigh', 'max']))),
  format: Type.Optional(nullable(outputFormat)),
  task_budget: Type.Optional(
    nullable(
      Type.Object({
        type: Type.Literal('tokens'),
        total: Type.Integer({ minimum: 20_000 }),
        remaining: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
      }),
    ),
  ),
});

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

/** The parts to remove from a conversation that grows too long. */
const contextManagement = Type.Object({ edits: Type.Optional(Type.Array(edit)) });

const safeguard = Type.Object({ type: Type.String(), classifier_context: Type.Optional(anyObject) });

/**
 * The union of what OpenRouter and Anthropic accept as a messages request.
 *
 * It validates captures and describes them in the OpenAPI document; the gateway forwards calls
 * without checking them against it. Unknown fields are ignored, so that requests with fields newer
 * than presetd can be captured. A new field here also needs an entry in `captured-fields.ts`.
 */
export const messagesRequest = Type.Object({
  model: Type.String(),
  messages: nullable(Type.Array(message)),
  system: Type.Optional(Type.Union([Type.String(), Type.Array(textBlock)])),
  prompt: Type.Optional(nullable(promptReference)),
  ...routingFields,
  fallbacks: Type.Optional(nullable(fallbacks)),

  max_tokens: Type.Optional(tokenLimit),
  temperature: Type.Optional(temperature),
  top_p: Type.Optional(topP),
  top_k: Type.Optional(topK),
  stop_sequences: Type.Optional(Type.Array(Type.String())),

  tools: Type.Optional(Type.Array(tool)),
  tool_choice: Type.Optional(toolChoice),
  mcp_servers: Type.Optional(Type.Array(mcpServer)),
  container: Type.Optional(nullable(container)),

  thinking: Type.Optional(thinking),
  output_config: Type.Optional(outputConfig),
  output_format: Type.Optional(nullable(outputFormat)),
  context_management: Type.Optional(nullable(contextManagement)),
  cache_control: Type.Optional(nullable(cacheControl)),
  safeguards: Type.Optional(nullable(Type.Array(safeguard))),
  speed: Type.Optional(nullable(Type.Enum(['fast', 'standard']))),
  service_tier: Type.Optional(Type.String()),
  inference_geo: Type.Optional(nullable(Type.String())),

  stream: Type.Optional(Type.Boolean()),
  user: Type.Optional(endUser),
  metadata: Type.Optional(Type.Object({ user_id: Type.Optional(nullable(Type.String())) })),
  compaction: Type.Optional(nullable(Type.Object({ type: Type.String() }))),
  thread: Type.Optional(nullable(Type.Object({ type: Type.String() }))),
  diagnostics: Type.Optional(nullable(Type.Object({}))),
  fallback_credit_token: Type.Optional(
    nullable(Type.Union([Type.String(), Type.Object({ token: Type.String() })])),
  ),
});

export type MessagesRequest = Type.Static<typeof messagesRequest>;
