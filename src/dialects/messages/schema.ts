import { Type } from 'typebox';
import { anyObject } from '../schema/dictionary.ts';
import { endUser } from '../schema/identity.ts';
import { nullable } from '../schema/nullable.ts';
import { routingFields } from '../schema/openrouter-fields.ts';
import { cacheControl } from '../schema/prompt-caching.ts';
import { temperature, tokenLimit, topK, topP } from '../schema/sampling.ts';
import { contextManagement } from './context-management.ts';
import { message, textBlock } from './conversation.ts';
import { outputConfig, outputFormat } from './output-config.ts';
import { thinking } from './thinking.ts';
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

const safeguard = Type.Object({ type: Type.String(), classifier_context: Type.Optional(anyObject) });

/**
 * The union of what OpenRouter and Anthropic accept as a messages request.
 *
 * It validates captures and describes them in the OpenAPI document; the gateway forwards calls
 * without checking them against it. Unknown fields are ignored, so that requests with fields newer
 * than presetd can be captured. A new field here also needs an entry in `capture-preset.ts`.
 */
export const messagesRequest = Type.Object({
  model: Type.String(),
  messages: nullable(Type.Array(message)),
  system: Type.Optional(Type.Union([Type.String(), Type.Array(textBlock)])),
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
