import { Type } from '../../core/type.ts';
import { audioPart, refusalPart } from '../openai/part-schemas.ts';
import { closedUnion, nullable, openUnion } from '../schema/combinators.ts';
import { cacheControl, promptCacheBreakpoint } from '../schema/prompt-caching.ts';

export const textPart = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  cache_control: Type.Optional(cacheControl),
  prompt_cache_breakpoint: Type.Optional(promptCacheBreakpoint),
});

export const imagePart = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Object({
    url: Type.String(),
    detail: Type.Optional(Type.Enum(['auto', 'low', 'high', 'original'])),
  }),
});

export const filePart = Type.Object({
  type: Type.Literal('file'),
  file: Type.Object({
    file_data: Type.Optional(Type.String()),
    file_id: Type.Optional(Type.String()),
    filename: Type.Optional(Type.String()),
  }),
});

const contentPart = openUnion('type', [
  textPart,
  imagePart,
  audioPart,
  Type.Object({
    type: Type.Enum(['video_url', 'input_video']),
    video_url: Type.Object({ url: Type.String() }),
  }),
  filePart,
  refusalPart,
]);

/** A call that the model made earlier, which clients send back with its result. */
const toolCall = openUnion('type', [
  Type.Object({
    type: Type.Literal('function'),
    id: Type.String(),
    function: Type.Object({ name: Type.String(), arguments: Type.String() }),
  }),
  Type.Object({
    type: Type.Literal('custom'),
    id: Type.String(),
    custom: Type.Object({ name: Type.String(), input: Type.String() }),
  }),
]);

/** Common fields of system and developer messages, which may only contain text. */
const instruction = {
  content: Type.Union([Type.String(), Type.Array(textPart)]),
  name: Type.Optional(Type.String()),
  configuration_update: Type.Optional(nullable(Type.Object({}))),
};

const content = Type.Union([Type.String(), Type.Array(contentPart)]);

/**
 * More fields are nullable than the API reference says, because clients send back responses the way
 * they received them, nulls included.
 */
export const assistantMessage = Type.Object({
  role: Type.Literal('assistant'),
  content: Type.Optional(nullable(content)),
  name: Type.Optional(Type.String()),
  refusal: Type.Optional(nullable(Type.String())),
  tool_calls: Type.Optional(nullable(Type.Array(toolCall))),
  function_call: Type.Optional(nullable(Type.Object({ name: Type.String(), arguments: Type.String() }))),
  audio: Type.Optional(nullable(Type.Object({ id: Type.Optional(Type.String()) }))),
  reasoning: Type.Optional(nullable(Type.String())),
  reasoning_details: Type.Optional(nullable(Type.Array(Type.Object({ type: Type.String() })))),
});

export const userMessage = Type.Object({
  role: Type.Literal('user'),
  content,
  name: Type.Optional(Type.String()),
});

export const toolMessage = Type.Object({ role: Type.Literal('tool'), content, tool_call_id: Type.String() });

/** The role `function` is the predecessor of `tool`. OpenAI's types still include it. */
export const message = closedUnion('role', [
  Type.Object({ role: Type.Literal('system'), ...instruction }),
  Type.Object({ role: Type.Literal('developer'), ...instruction }),
  userMessage,
  assistantMessage,
  toolMessage,
  Type.Object({
    role: Type.Literal('function'),
    content: nullable(Type.String()),
    name: Type.String(),
  }),
]);
