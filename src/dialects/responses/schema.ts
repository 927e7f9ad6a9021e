import { Type } from '../../core/type.ts';
import { outputLogprobs } from '../openai/call.ts';
import { encryptedReasoning } from '../openai/fit-reasoning.ts';
import { anyObject, closedUnion, nullable } from '../schema/combinators.ts';
import { metadata, moderation, serviceTier, stopSequences } from '../schema/openai-fields.ts';
import { debug, endUser, imageConfig, routingFields } from '../schema/openrouter-fields.ts';
import { cacheControl, promptCacheOptions, promptCacheRetention } from '../schema/prompt-caching.ts';
import { promptReference } from '../schema/prompt-reference.ts';
import { reasoningFields, reasoningSummary, verbosity } from '../schema/reasoning.ts';
import {
  penalty,
  temperature,
  tokenLimit,
  toolCallLimit,
  topK,
  topLogprobs,
  topP,
} from '../schema/sampling.ts';
import { input } from './conversation.ts';
import { tool, toolChoice } from './tools.ts';

const reasoning = Type.Object({
  ...reasoningFields,
  generate_summary: Type.Optional(nullable(reasoningSummary)),
  context: Type.Optional(nullable(Type.Enum(['auto', 'all_turns', 'current_turn']))),
  mode: Type.Optional(nullable(Type.String())),
});

/**
 * Format and verbosity of the text output. Unlike in chat completions, the schema has no wrapper.
 */
const text = Type.Object({
  format: Type.Optional(
    closedUnion('type', [
      Type.Object({ type: Type.Literal('text') }),
      Type.Object({ type: Type.Literal('json_object') }),
      Type.Object({
        type: Type.Literal('json_schema'),
        name: Type.String(),
        schema: anyObject,
        description: Type.Optional(Type.String()),
        strict: Type.Optional(nullable(Type.Boolean())),
      }),
    ]),
  ),
  verbosity: Type.Optional(nullable(verbosity)),
});

/** Parts of the output that are only returned on request. */
const includable = Type.Enum([
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  outputLogprobs,
  encryptedReasoning,
  'web_search_call.action.sources',
  'web_search_call.results',
]);

/**
 * The union of what OpenRouter and OpenAI accept as a responses request.
 *
 * It validates captures and describes them in the OpenAPI document; the gateway forwards calls
 * without checking them against it. Unknown fields are ignored, so that requests with fields newer
 * than presetd can be captured. A new field here also needs an entry in `captured-fields.ts`.
 */
export const responsesRequest = Type.Object({
  input: Type.Optional(input),
  instructions: Type.Optional(nullable(Type.String())),
  prompt: Type.Optional(nullable(promptReference)),
  model: Type.Optional(Type.String()),
  ...routingFields,

  temperature: Type.Optional(nullable(temperature)),
  top_p: Type.Optional(nullable(topP)),
  top_k: Type.Optional(topK),
  frequency_penalty: Type.Optional(nullable(penalty)),
  presence_penalty: Type.Optional(nullable(penalty)),
  top_logprobs: Type.Optional(nullable(topLogprobs)),
  stop: Type.Optional(nullable(stopSequences)),
  max_output_tokens: Type.Optional(nullable(tokenLimit)),

  tools: Type.Optional(Type.Array(tool)),
  tool_choice: Type.Optional(toolChoice),
  parallel_tool_calls: Type.Optional(nullable(Type.Boolean())),
  max_tool_calls: Type.Optional(nullable(toolCallLimit)),

  reasoning: Type.Optional(nullable(reasoning)),
  text: Type.Optional(text),
  modalities: Type.Optional(Type.Array(Type.Enum(['text', 'image']))),
  image_config: Type.Optional(imageConfig),
  image: Type.Optional(Type.Object({ context_compression: Type.Optional(Type.String()) })),
  moderation: Type.Optional(nullable(moderation)),
  access_programs: Type.Optional(Type.Object({ cyber: Type.Optional(Type.String()) })),
  include: Type.Optional(nullable(Type.Array(includable))),
  truncation: Type.Optional(nullable(Type.Enum(['auto', 'disabled']))),
  context_management: Type.Optional(
    nullable(
      Type.Array(
        Type.Object({
          type: Type.String(),
          compact_threshold: Type.Optional(nullable(Type.Number())),
        }),
      ),
    ),
  ),
  service_tier: Type.Optional(nullable(serviceTier)),
  cache_control: Type.Optional(cacheControl),
  prompt_cache_options: Type.Optional(nullable(promptCacheOptions)),
  prompt_cache_retention: Type.Optional(nullable(promptCacheRetention)),
  prompt_cache_key: Type.Optional(nullable(Type.String())),

  previous_response_id: Type.Optional(Type.Unknown()),
  conversation: Type.Optional(nullable(Type.Union([Type.String(), Type.Object({ id: Type.String() })]))),
  background: Type.Optional(nullable(Type.Boolean())),
  stream: Type.Optional(nullable(Type.Boolean())),
  stream_options: Type.Optional(
    nullable(Type.Object({ include_obfuscation: Type.Optional(Type.Boolean()) })),
  ),
  store: Type.Optional(nullable(Type.Boolean())),
  user: Type.Optional(endUser),
  safety_identifier: Type.Optional(nullable(Type.String())),
  metadata: Type.Optional(nullable(metadata)),
  debug: Type.Optional(debug),
});

export type ResponsesRequest = Type.Static<typeof responsesRequest>;
