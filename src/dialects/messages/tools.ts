import { Type } from '../../core/type.ts';
import { closedUnion, nullable, openUnion } from '../schema/combinators.ts';
import { cacheControl } from '../schema/prompt-caching.ts';
import { serverTools } from '../schema/server-tools.ts';
import { domains, userLocation } from '../schema/web-search.ts';

/** Fields that every tool of Anthropic's API accepts. */
const toolFields = {
  cache_control: Type.Optional(nullable(cacheControl)),
  defer_loading: Type.Optional(Type.Boolean()),
  strict: Type.Optional(Type.Boolean()),
  allowed_callers: Type.Optional(Type.Array(Type.String())),
};

const webFields = {
  ...toolFields,
  allowed_domains: Type.Optional(nullable(domains)),
  blocked_domains: Type.Optional(nullable(domains)),
  max_uses: Type.Optional(nullable(Type.Integer())),
};

/** The only tool whose type is optional or null. */
const customTool = Type.Object({
  type: Type.Optional(nullable(Type.Enum(['custom']))),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  input_schema: Type.Object(
    {
      type: Type.Optional(Type.String()),
      properties: Type.Optional(Type.Unknown()),
      required: Type.Optional(nullable(Type.Array(Type.String()))),
    },
    { additionalProperties: true },
  ),
  ...toolFields,
});

/** Types of Anthropic's own tools end with a date. Types that differ only in it share a shape. */
export const tool = openUnion('type', [
  customTool,
  Type.Object({
    type: Type.Enum(['bash_20241022', 'bash_20250124']),
    name: Type.Literal('bash'),
    ...toolFields,
  }),
  Type.Object({
    type: Type.Enum(['text_editor_20241022', 'text_editor_20250124']),
    name: Type.Literal('str_replace_editor'),
    ...toolFields,
  }),
  Type.Object({
    type: Type.Enum(['text_editor_20250429', 'text_editor_20250728']),
    name: Type.Literal('str_replace_based_edit_tool'),
    ...toolFields,
    max_characters: Type.Optional(nullable(Type.Integer())),
  }),
  Type.Object({
    type: Type.Enum(['web_search_20250305', 'web_search_20260209', 'web_search_20260318']),
    name: Type.Literal('web_search'),
    ...webFields,
    user_location: Type.Optional(userLocation),
  }),
  Type.Object({
    type: Type.Enum(['web_fetch_20250910', 'web_fetch_20260209', 'web_fetch_20260309', 'web_fetch_20260318']),
    name: Type.Literal('web_fetch'),
    ...webFields,
    max_content_tokens: Type.Optional(nullable(Type.Integer())),
  }),
  Type.Object({
    type: Type.Literal('advisor_20260301'),
    name: Type.Literal('advisor'),
    model: Type.String(),
    ...toolFields,
    caching: Type.Optional(nullable(cacheControl)),
    max_uses: Type.Optional(nullable(Type.Integer())),
  }),
  Type.Object({
    type: Type.Enum(['tool_search_tool_bm25', 'tool_search_tool_bm25_20251119']),
    name: Type.Literal('tool_search_tool_bm25'),
    ...toolFields,
  }),
  Type.Object({
    type: Type.Enum(['tool_search_tool_regex', 'tool_search_tool_regex_20251119']),
    name: Type.Literal('tool_search_tool_regex'),
    ...toolFields,
  }),
  ...serverTools,
]);

const parallel = { disable_parallel_tool_use: Type.Optional(Type.Boolean()) };

/** Unlike in the OpenAI dialects, a choice is always an object. */
export const toolChoice = closedUnion('type', [
  Type.Object({ type: Type.Literal('auto'), ...parallel }),
  Type.Object({ type: Type.Literal('any'), ...parallel }),
  Type.Object({ type: Type.Literal('tool'), name: Type.String(), ...parallel }),
  Type.Object({ type: Type.Literal('none') }),
]);
