import { Type } from '../../core/type.ts';
import { anyObject, nullable, openUnion } from '../schema/combinators.ts';
import { cacheControl } from '../schema/prompt-caching.ts';
import { serverTools } from '../schema/server-tools.ts';
import { webSearchFields, webSearchType } from '../schema/web-search.ts';

const functionDefinition = Type.Object({
  name: Type.String({ maxLength: 64 }),
  description: Type.Optional(Type.String()),
  parameters: Type.Optional(anyObject),
  strict: Type.Optional(nullable(Type.Boolean())),
});

const customTool = Type.Object({
  type: Type.Literal('custom'),
  custom: Type.Object({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    format: Type.Optional(
      openUnion('type', [
        Type.Object({ type: Type.Literal('text') }),
        Type.Object({
          type: Type.Literal('grammar'),
          grammar: Type.Object({ definition: Type.String(), syntax: Type.String() }),
        }),
      ]),
    ),
  }),
});

/** OpenRouter's short form of web search, with the options next to `type`. */
const webSearchShorthand = Type.Object({
  type: webSearchType,
  ...webSearchFields,
  parameters: Type.Optional(Type.Object(webSearchFields)),
});

/** Tool definitions are nested in this dialect: a function is an object below `function`. */
export const tool = openUnion('type', [
  Type.Object({
    type: Type.Literal('function'),
    function: functionDefinition,
    cache_control: Type.Optional(cacheControl),
  }),
  customTool,
  webSearchShorthand,
  ...serverTools,
]);

export const toolChoice = Type.Union([
  Type.Enum(['none', 'auto', 'required']),
  openUnion('type', [
    Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: Type.String() }) }),
    Type.Object({ type: Type.Literal('custom'), custom: Type.Object({ name: Type.String() }) }),
    Type.Object({
      type: Type.Literal('allowed_tools'),
      allowed_tools: Type.Object({
        mode: Type.Enum(['auto', 'required']),
        tools: Type.Array(anyObject),
      }),
    }),
  ]),
]);

/** The predecessors of `tools` and `tool_choice`. */
export const legacyFunctions = Type.Array(functionDefinition);
export const legacyFunctionCall = Type.Union([
  Type.Enum(['none', 'auto']),
  Type.Object({ name: Type.String() }),
]);
