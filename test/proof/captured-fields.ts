import type { Dialect } from '../../src/core/presets/preset.ts';

const routing = [
  ...['model', 'models', 'provider', 'plugins', 'route', 'deferred_tools', 'stop_server_tools_when'],
];
const openAi = [
  ...['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'top_logprobs'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'max_tool_calls', 'reasoning', 'modalities'],
  ...['image_config', 'moderation', 'service_tier', 'cache_control'],
  ...['prompt_cache_options', 'prompt_cache_retention'],
];

/**
 * Every field that a preset may save, by dialect. The list repeats the code on purpose: a field
 * that the server starts to save has to be allowed here as well. None of them carries the
 * conversation, identifies the caller or belongs to a single call.
 */
export const capturedFields: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  'chat-completions': new Set([
    ...routing,
    ...openAi,
    ...['top_a', 'min_p', 'repetition_penalty', 'logit_bias', 'logprobs', 'seed', 'n', 'stop'],
    ...['max_tokens', 'max_completion_tokens', 'functions', 'function_call', 'web_search_options'],
    ...[
      'reasoning_effort',
      'include_reasoning',
      'verbosity',
      'response_format',
      'structured_outputs',
      'audio',
    ],
  ]),
  messages: new Set([
    ...routing,
    ...['fallbacks', 'max_tokens', 'temperature', 'top_p', 'top_k', 'stop_sequences'],
    ...['tools', 'tool_choice', 'mcp_servers', 'container', 'thinking', 'output_config', 'output_format'],
    ...['context_management', 'cache_control', 'safeguards', 'speed', 'service_tier', 'inference_geo'],
  ]),
  responses: new Set([
    ...routing,
    ...openAi,
    ...[
      'stop',
      'max_output_tokens',
      'text',
      'image',
      'access_programs',
      'include',
      'truncation',
      'context_management',
    ],
  ]),
};
