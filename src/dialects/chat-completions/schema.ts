import { Type } from '../../core/type.ts';
import { anyObject, closedUnion, nullable } from '../schema/combinators.ts';
import { metadata, moderation, serviceTier, stopSequences } from '../schema/openai-fields.ts';
import { debug, imageConfig, routingFields } from '../schema/openrouter-fields.ts';
import { cacheControl, promptCacheOptions, promptCacheRetention } from '../schema/prompt-caching.ts';
import { promptReference } from '../schema/prompt-reference.ts';
import { reasoningEffort, reasoningFields, verbosity } from '../schema/reasoning.ts';
import {
  logitBias,
  minP,
  penalty,
  repetitionPenalty,
  temperature,
  tokenLimit,
  toolCallLimit,
  topA,
  topK,
  topLogprobs,
  topP,
} from '../schema/sampling.ts';
import { searchContextSize } from '../schema/web-search.ts';
import { message, textPart } from './conversation.ts';
import { legacyFunctionCall, legacyFunctions, tool, toolChoice } from './tools.ts';

/** `grammar` and `python` are OpenRouter's. */
const responseFormat = closedUnion('type', [
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String({ maxLength: 64 }),
      description: Type.Optional(Type.String()),
      schema: Type.Optional(anyObject),
      strict: Type.Optional(nullable(Type.Boolean())),
    }),
  }),
  Type.Object({ type: Type.Literal('grammar'), grammar: Type.String() }),
  Type.Object({ type: Type.Literal('python') }),
]);

/** Text that most of the output is expected to repeat, which speeds up generation. */
const prediction = Type.Object({
  type: Type.Literal('content'),
  content: Type.Union([Type.String(), Type.Array(textPart)]),
});

const audio = Type.Object({
  format: Type.String(),
  voice: Type.Union([Type.String(), Type.Object({ id: Type.String() })]),
});

/** For OpenAI's search models, which have no web search tool. */
const webSearchOptions = Type.Object({
  search_context_size: Type.Optional(searchContextSize),
  user_location: Type.Optional(
    nullable(Type.Object({ type: Type.Literal('approximate'), approximate: Type.Object({}) })),
  ),
});

/**
 * The union of what OpenRouter and OpenAI accept as a chat completions request.
 *
 * It validates captures and describes them in the OpenAPI document; the gateway forwards calls
 * without checking them against it. Unknown fields are ignored, so that requests with fields newer
 * than presetd can be captured. A new field here also needs an entry in `captured-fields.ts`.
 */
export const chatCompletionsRequest = Type.Object({
  messages: Type.Array(message, { minItems: 1 }),
  model: Type.Optional(Type.String()),
  ...routingFields,

  temperature: Type.Optional(nullable(temperature)),
  top_p: Type.Optional(nullable(topP)),
  top_k: Type.Optional(nullable(topK)),
  top_a: Type.Optional(nullable(topA)),
  min_p: Type.Optional(nullable(minP)),
  frequency_penalty: Type.Optional(nullable(penalty)),
  presence_penalty: Type.Optional(nullable(penalty)),
  repetition_penalty: Type.Optional(nullable(repetitionPenalty)),
  logit_bias: Type.Optional(nullable(logitBias)),
  logprobs: Type.Optional(nullable(Type.Boolean())),
  top_logprobs: Type.Optional(nullable(topLogprobs)),
  seed: Type.Optional(nullable(Type.Integer())),
  n: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
  stop: Type.Optional(nullable(stopSequences)),
  max_tokens: Type.Optional(nullable(tokenLimit)),
  max_completion_tokens: Type.Optional(nullable(tokenLimit)),

  tools: Type.Optional(Type.Array(tool)),
  tool_choice: Type.Optional(toolChoice),
  parallel_tool_calls: Type.Optional(nullable(Type.Boolean())),
  max_tool_calls: Type.Optional(toolCallLimit),
  functions: Type.Optional(legacyFunctions),
  function_call: Type.Optional(legacyFunctionCall),
  web_search_options: Type.Optional(webSearchOptions),

  reasoning: Type.Optional(Type.Object(reasoningFields)),
  reasoning_effort: Type.Optional(nullable(reasoningEffort)),
  include_reasoning: Type.Optional(Type.Boolean()),
  verbosity: Type.Optional(nullable(verbosity)),
  response_format: Type.Optional(responseFormat),
  structured_outputs: Type.Optional(Type.Boolean()),
  modalities: Type.Optional(nullable(Type.Array(Type.Enum(['text', 'image', 'audio'])))),
  audio: Type.Optional(nullable(audio)),
  image_config: Type.Optional(imageConfig),
  moderation: Type.Optional(nullable(moderation)),
  service_tier: Type.Optional(nullable(serviceTier)),
  cache_control: Type.Optional(cacheControl),
  prompt_cache_options: Type.Optional(nullable(promptCacheOptions)),
  prompt_cache_retention: Type.Optional(nullable(promptCacheRetention)),
  prompt_cache_key: Type.Optional(nullable(Type.String())),

  prompt: Type.Optional(nullable(Type.Union([Type.String(), promptReference]))),
  prediction: Type.Optional(nullable(prediction)),
  stream: Type.Optional(nullable(Type.Boolean())),
  stream_options: Type.Optional(
    nullable(
      Type.Object({
        include_usage: Type.Optional(Type.Boolean()),
        include_obfuscation: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  usage: Type.Optional(Type.Object({ include: Type.Optional(Type.Boolean()) })),
  store: Type.Optional(nullable(Type.Boolean())),
  user: Type.Optional(Type.String()),
  safety_identifier: Type.Optional(nullable(Type.String())),
  metadata: Type.Optional(nullable(metadata)),
  debug: Type.Optional(debug),
});

export type ChatCompletionsRequest = Type.Static<typeof chatCompletionsRequest>;
