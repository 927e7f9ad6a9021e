import { Type } from '../../core/type.ts';
import { anyObject, dictionaryOf, nullable, openUnion } from '../schema/combinators.ts';
import { serverTools } from '../schema/server-tools.ts';
import { domains, searchContextSize, userLocation, webSearchType } from '../schema/web-search.ts';

/** `parameters` is not included: it is required for a function at the top level only. */
const functionFields = {
  type: Type.Literal('function'),
  name: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  strict: Type.Optional(nullable(Type.Boolean())),
  defer_loading: Type.Optional(Type.Boolean()),
  async: Type.Optional(Type.Boolean()),
};

const customTool = Type.Object({
  type: Type.Literal('custom'),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  format: Type.Optional(
    openUnion('type', [
      Type.Object({ type: Type.Literal('text') }),
      Type.Object({
        type: Type.Literal('grammar'),
        definition: Type.String(),
        syntax: Type.Enum(['lark', 'regex']),
      }),
    ]),
  ),
});

const domainFilter = Type.Optional(nullable(domains));

/** Either `server_url` or `connector_id` is needed; the upstream checks that. */
const mcpTool = Type.Object({
  type: Type.Literal('mcp'),
  server_label: Type.String(),
  server_url: Type.Optional(Type.String()),
  server_description: Type.Optional(Type.String()),
  connector_id: Type.Optional(Type.String()),
  authorization: Type.Optional(Type.String()),
  headers: Type.Optional(nullable(dictionaryOf(Type.String()))),
  allowed_tools: Type.Optional(nullable(Type.Union([Type.Array(Type.String()), Type.Object({})]))),
  require_approval: Type.Optional(nullable(Type.Union([Type.Enum(['always', 'never']), Type.Object({})]))),
});

const imageGenerationTool = Type.Object({
  type: Type.Literal('image_generation'),
  model: Type.Optional(Type.String()),
  size: Type.Optional(Type.String()),
  quality: Type.Optional(Type.String()),
  background: Type.Optional(Type.String()),
  output_format: Type.Optional(Type.String()),
  output_compression: Type.Optional(Type.Integer()),
  partial_images: Type.Optional(Type.Integer()),
});

/**
 * Tool definitions are flat in this dialect: a function's name is next to its type. Hosted tools
 * are checked for the fields that they cannot work without.
 */
export const tool = openUnion('type', [
  Type.Object({ ...functionFields, parameters: nullable(anyObject) }),
  customTool,
  Type.Object({
    type: Type.Literal('namespace'),
    name: Type.String(),
    description: Type.String(),
    tools: Type.Array(openUnion('type', [Type.Object(functionFields), customTool])),
  }),
  Type.Object({
    type: webSearchType,
    engine: Type.Optional(Type.String()),
    mode: Type.Optional(Type.String()),
    max_results: Type.Optional(Type.Integer()),
    max_uses: Type.Optional(Type.Integer()),
    search_context_size: Type.Optional(searchContextSize),
    user_location: Type.Optional(userLocation),
    filters: Type.Optional(
      nullable(
        Type.Object({
          allowed_domains: domainFilter,
          blocked_domains: domainFilter,
          excluded_domains: domainFilter,
        }),
      ),
    ),
  }),
  Type.Object({
    type: Type.Literal('file_search'),
    vector_store_ids: Type.Array(Type.String()),
    max_num_results: Type.Optional(Type.Integer()),
    filters: Type.Optional(nullable(Type.Object({ type: Type.String() }))),
  }),
  Type.Object({
    type: Type.Literal('computer_use_preview'),
    display_height: Type.Integer(),
    display_width: Type.Integer(),
    environment: Type.Enum(['windows', 'mac', 'linux', 'ubuntu', 'browser']),
  }),
  Type.Object({
    type: Type.Literal('code_interpreter'),
    container: Type.Union([Type.String(), Type.Object({ type: Type.Literal('auto') })]),
  }),
  mcpTool,
  imageGenerationTool,
  ...serverTools,
]);

/** Hosted tools are chosen by type alone, which the open union accepts. */
export const toolChoice = Type.Union([
  Type.Enum(['none', 'auto', 'required']),
  openUnion('type', [
    Type.Object({ type: Type.Enum(['function', 'custom']), name: Type.String() }),
    Type.Object({ type: Type.Literal('mcp'), server_label: Type.Optional(Type.String()) }),
    Type.Object({
      type: Type.Literal('allowed_tools'),
      mode: Type.Enum(['auto', 'required']),
      tools: Type.Array(anyObject),
    }),
  ]),
]);
