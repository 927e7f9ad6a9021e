import { Type } from '../../core/type.ts';
import { anyObject, openUnion } from './combinators.ts';
import { cacheControl } from './prompt-caching.ts';
import { toolReasoning } from './reasoning.ts';
import { temperature, tokenLimit } from './sampling.ts';
import { domains, webSearchFields } from './web-search.ts';

const engine = Type.Optional(Type.String());

/** Where shell commands run: a new container or an existing one. */
const container = openUnion('type', [
  Type.Object({ type: Type.Literal('container_auto'), file_ids: Type.Optional(Type.Array(Type.String())) }),
  Type.Object({ type: Type.Literal('container_reference'), container_id: Type.String({ minLength: 1 }) }),
]);

const shellParameters = Type.Object({ engine, environment: Type.Optional(container) });

const searchParameters = Type.Object({ max_results: Type.Optional(Type.Integer()) });

/** Common fields of advisor, subagent and fusion, which call a model of their own. */
const delegateFields = {
  model: Type.Optional(Type.String()),
  temperature: Type.Optional(temperature),
  max_completion_tokens: Type.Optional(tokenLimit),
  reasoning: Type.Optional(toolReasoning),
};

const namedDelegateFields = {
  ...delegateFields,
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-zA-Z0-9 _-]+$',
      description: 'Distinguishes several tools of this type.',
    }),
  ),
  instructions: Type.Optional(Type.String()),
};

/** A tool for the model that a server tool calls. The types are not checked any further. */
const nestedTool = Type.Object({ type: Type.String(), parameters: Type.Optional(anyObject) });

/** Tools that OpenRouter runs itself. They have the same form in every dialect. */
export const serverTools = [
  serverTool(
    'openrouter:advisor',
    Type.Object({
      ...namedDelegateFields,
      forward_transcript: Type.Optional(Type.Boolean()),
      stream: Type.Optional(Type.Boolean()),
    }),
  ),
  serverTool(
    'openrouter:subagent',
    Type.Object({
      ...namedDelegateFields,
      max_tool_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 25 })),
      tools: Type.Optional(Type.Array(nestedTool)),
      inherit_functions: Type.Optional(Type.Boolean()),
      inherited_function_names: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    }),
  ),
  serverTool(
    'openrouter:fusion',
    Type.Object({
      ...delegateFields,
      analysis_models: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 8 })),
      max_tool_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
      tools: Type.Optional(Type.Array(nestedTool, { maxItems: 8 })),
      cache_control: Type.Optional(cacheControl),
    }),
  ),
  serverTool('openrouter:web_search', Type.Object(webSearchFields)),
  serverTool(
    'openrouter:web_fetch',
    Type.Object({
      engine,
      max_uses: Type.Optional(Type.Integer()),
      max_content_tokens: Type.Optional(Type.Integer()),
      allowed_domains: Type.Optional(domains),
      blocked_domains: Type.Optional(domains),
    }),
  ),
  serverTool('openrouter:image_generation', Type.Object({ model: Type.Optional(Type.String()) })),
  serverTool('openrouter:bash', shellParameters),
  serverTool('openrouter:shell', shellParameters),
  serverTool('openrouter:datetime', Type.Object({ timezone: Type.Optional(Type.String()) })),
  serverTool('openrouter:experimental__search_models', searchParameters),
  serverTool('openrouter:tool_search', searchParameters),
  serverTool('openrouter:apply_patch', Type.Object({ engine })),
  serverTool('openrouter:files', Type.Object({})),
] as const;

function serverTool<Name extends string, Parameters extends Type.TSchema>(
  name: Name,
  parameters: Parameters,
) {
  return Type.Object({ type: Type.Literal(name), parameters: Type.Optional(parameters) });
}
