import { Type } from '../../core/type.ts';
import { closedUnion, nullable, openUnion } from '../schema/combinators.ts';
import { cacheControl } from '../schema/prompt-caching.ts';

/** Most blocks can end a cached prefix. */
const cacheable = { cache_control: Type.Optional(nullable(cacheControl)) };

export const textBlock = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  ...cacheable,
  citations: Type.Optional(nullable(Type.Array(Type.Object({ type: Type.String() })))),
});

/** Where an image or a document comes from. */
const source = openUnion('type', [
  Type.Object({ type: Type.Literal('base64'), media_type: Type.String(), data: Type.String() }),
  Type.Object({ type: Type.Literal('text'), media_type: Type.String(), data: Type.String() }),
  Type.Object({ type: Type.Literal('url'), url: Type.String() }),
  Type.Object({ type: Type.Literal('file'), file_id: Type.String() }),
  Type.Object({
    type: Type.Literal('content'),
    content: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))]),
  }),
]);

export const imageBlock = Type.Object({ type: Type.Literal('image'), source, ...cacheable });

export const documentBlock = Type.Object({
  type: Type.Literal('document'),
  source,
  ...cacheable,
  title: Type.Optional(nullable(Type.String())),
  context: Type.Optional(nullable(Type.String())),
  citations: Type.Optional(nullable(Type.Object({ enabled: Type.Optional(Type.Boolean()) }))),
});

const searchResultBlock = Type.Object({
  type: Type.Literal('search_result'),
  source: Type.String(),
  title: Type.String(),
  content: Type.Array(textBlock),
  ...cacheable,
});

const toolResultBlock = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: Type.String(),
  content: Type.Optional(
    Type.Union([
      Type.String(),
      Type.Array(
        openUnion('type', [
          textBlock,
          imageBlock,
          documentBlock,
          searchResultBlock,
          Type.Object({ type: Type.Literal('tool_reference'), tool_name: Type.String() }),
        ]),
      ),
    ]),
  ),
  is_error: Type.Optional(Type.Boolean()),
  ...cacheable,
});

/**
 * The contents of a message. Blocks that replay earlier output, such as tool results and thinking,
 * are only checked for what makes them usable.
 */
const contentBlock = openUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  searchResultBlock,
  toolResultBlock,
  Type.Object({
    type: Type.Enum(['tool_use', 'server_tool_use']),
    id: Type.String(),
    name: Type.String(),
    ...cacheable,
  }),
  Type.Object({
    type: Type.Literal('mcp_tool_use'),
    id: Type.String(),
    name: Type.String(),
    server_name: Type.String(),
    ...cacheable,
  }),
  Type.Object({ type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.String() }),
  Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }),
  Type.Object({
    type: Type.Literal('web_search_tool_result'),
    tool_use_id: Type.String(),
    content: Type.Union([
      Type.Array(Type.Object({ type: Type.String() })),
      Type.Object({ type: Type.String() }),
    ]),
    ...cacheable,
  }),
  Type.Object({
    type: Type.Enum(['advisor_tool_result', 'openrouter_bash_tool_result', 'openrouter_shell_tool_result']),
    tool_use_id: Type.String(),
    content: Type.Object({}),
  }),
  Type.Object({
    type: Type.Literal('compaction'),
    content: Type.Optional(nullable(Type.String())),
    encrypted_content: Type.Optional(nullable(Type.String())),
    ...cacheable,
  }),
  Type.Object({
    type: Type.Enum(['tool_addition', 'tool_removal']),
    tool: Type.Object({ type: Type.String() }),
    ...cacheable,
  }),
]);

const content = Type.Union([Type.String(), Type.Array(contentBlock)]);

/** A system message may consist of settings only, without content. */
export const message = closedUnion('role', [
  Type.Object({ role: Type.Literal('user'), content }),
  Type.Object({ role: Type.Literal('assistant'), content }),
  Type.Object({
    role: Type.Literal('system'),
    content: Type.Optional(content),
    clear_at: Type.Optional(nullable(Type.String())),
    output_config: Type.Optional(nullable(Type.Object({}))),
  }),
]);
