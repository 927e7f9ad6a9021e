import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';

/**
 * Requests that the official SDKs accept, typed by the SDKs: a client may send what compiles here.
 * OpenRouter's own SDK spells its fields in camelCase; its requests are in
 * `openrouter-requests.ts`.
 */
export interface CapturedRequest<Body> {
  readonly title: string;
  readonly body: Body;
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const weatherParameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

export const chatCompletionsRequests: readonly CapturedRequest<OpenAI.ChatCompletionCreateParamsNonStreaming>[] = [
  {
    title: 'a plain question with a system message',
    body: {
      model: 'gpt-5.2',
      messages: [
        { role: 'system', content: 'You are terse.' },
        { role: 'user', content: 'Hello' },
      ],
      temperature: 0.2,
      max_tokens: 100,
    },
  },
  {
    title: 'a developer message in parts, and every sampling field',
    body: {
      model: 'gpt-5.2',
      messages: [
        {
          role: 'developer',
          name: 'policy',
          content: [
            { type: 'text', text: 'Answer in French.' },
            { type: 'text', text: 'Cite sources.', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
          ],
        },
        { role: 'user', name: 'ada', content: [{ type: 'text', text: 'Bonjour' }] },
      ],
      temperature: 2,
      top_p: 1,
      frequency_penalty: -2,
      presence_penalty: 2,
      logit_bias: { '50256': -100, '11': 100 },
      logprobs: true,
      top_logprobs: 20,
      max_completion_tokens: 1,
      n: 2,
      seed: -7,
      stop: ['a', 'b', 'c', 'd'],
      reasoning_effort: 'xhigh',
      verbosity: 'low',
      service_tier: 'flex',
      parallel_tool_calls: false,
    },
  },
  {
    title: 'images, audio and files in a user message',
    body: {
      model: 'gpt-audio-mini',
      modalities: ['text', 'audio'],
      audio: { format: 'wav', voice: 'alloy' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}`, detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          ],
        },
      ],
    },
  },
  {
    title: 'function and custom tools with a named choice',
    body: {
      model: 'gpt-5.2',
      messages: [{ role: 'user', content: 'Weather in Oslo?' }],
      tools: [
        {
          type: 'function',
          function: { name: 'weather', description: 'Looks it up', parameters: weatherParameters, strict: true },
        },
        { type: 'custom', custom: { name: 'shell', format: { type: 'text' } } },
        {
          type: 'custom',
          custom: {
            name: 'sql',
            description: 'One query',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    },
  },
  {
    title: 'a choice among allowed tools',
    body: {
      model: 'gpt-5.2',
      messages: [{ role: 'user', content: 'Weather in Oslo?' }],
      tools: [{ type: 'function', function: { name: 'weather' } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    },
  },
  {
    title: 'tool calls and their results replayed, with a refusal and spoken answer',
    body: {
      model: 'gpt-5.2',
      messages: [
        { role: 'user', content: 'Weather in Oslo?' },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
            { id: 'call_2', type: 'custom', custom: { name: 'shell', input: 'date' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'Monday' }] },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        { role: 'assistant', audio: { id: 'audio_1' } },
        { role: 'user', content: 'Thanks' },
      ],
    },
  },
  {
    title: 'structured output by a JSON schema, with a prediction',
    body: {
      model: 'gpt-5.2',
      messages: [{ role: 'user', content: 'Give me JSON' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'weather', description: 'The weather', schema: weatherParameters, strict: true },
      },
      prediction: { type: 'content', content: [{ type: 'text', text: '{"city":' }] },
    },
  },
  {
    title: 'the functions of old',
    body: {
      model: 'gpt-4',
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', function_call: { name: 'weather', arguments: '{}' } },
        { role: 'function', name: 'weather', content: null },
      ],
      functions: [{ name: 'weather', parameters: weatherParameters }],
      function_call: { name: 'weather' },
    },
  },
  {
    title: 'identity, caching, moderation and web search',
    body: {
      model: 'gpt-5.2',
      messages: [{ role: 'user', content: 'News?' }],
      user: 'ada',
      safety_identifier: 'hash',
      store: true,
      metadata: { team: 'search' },
      prompt_cache_key: 'key',
      prompt_cache_options: { mode: 'implicit', ttl: '30m' },
      prompt_cache_retention: '24h',
      moderation: { model: 'omni-moderation-latest', policy: { input: { mode: 'block' }, output: null } },
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'Oslo', country: 'NO' } },
      },
    },
  },
  {
    title: 'null wherever a field may be null',
    body: {
      model: 'gpt-5.2',
      messages: [{ role: 'user', content: 'Hello' }],
      audio: null,
      frequency_penalty: null,
      logit_bias: null,
      logprobs: null,
      max_completion_tokens: null,
      max_tokens: null,
      metadata: null,
      modalities: null,
      moderation: null,
      n: null,
      prediction: null,
      presence_penalty: null,
      prompt_cache_key: null,
      prompt_cache_retention: null,
      reasoning_effort: null,
      safety_identifier: null,
      seed: null,
      service_tier: null,
      stop: null,
      store: null,
      stream: null,
      stream_options: null,
      temperature: null,
      top_logprobs: null,
      top_p: null,
      verbosity: null,
    },
  },
];

export const messagesRequests: readonly CapturedRequest<Anthropic.MessageCreateParamsNonStreaming>[] = [
  {
    title: 'a plain question with a system prompt',
    body: {
      model: 'claude-sonnet-5',
      max_tokens: 100,
      system: 'You are terse.',
      messages: [{ role: 'user', content: 'Hello' }],
    },
  },
  {
    title: 'cached system blocks, extended thinking and metadata',
    body: {
      model: 'claude-opus-5',
      max_tokens: 4096,
      system: [
        { type: 'text', text: 'Answer in French.' },
        { type: 'text', text: 'Cite sources.', cache_control: { type: 'ephemeral', ttl: '1h' }, citations: null },
      ],
      messages: [
        { role: 'system', content: 'A word in between.' },
        { role: 'user', content: 'Bonjour' },
      ],
      thinking: { type: 'enabled', budget_tokens: 2048, display: 'summarized' },
      cache_control: { type: 'ephemeral' },
      metadata: { user_id: 'ada' },
      service_tier: 'standard_only',
      stop_sequences: ['END'],
      speed: 'fast',
      inference_geo: 'eu',
    },
  },
  {
    title: 'images and documents from every source',
    body: {
      model: 'claude-sonnet-5',
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' }, cache_control: null },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
            {
              type: 'document',
              title: 'Notes',
              context: null,
              citations: { enabled: true },
              source: { type: 'text', media_type: 'text/plain', data: 'Notes' },
            },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Part' }] } },
            { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
            {
              type: 'search_result',
              source: 'https://example.com',
              title: 'Example',
              content: [{ type: 'text', text: 'Found' }],
            },
            { type: 'text', text: 'What are these?' },
          ],
        },
      ],
    },
  },
  {
    title: 'tool use, tool results and thinking replayed',
    body: {
      model: 'claude-sonnet-5',
      max_tokens: 100,
      tools: [
        {
          name: 'weather',
          description: 'Looks it up',
          input_schema: weatherParameters,
          cache_control: { type: 'ephemeral' },
        },
      ],
      tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
      messages: [
        { role: 'user', content: 'Weather in Oslo?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Look it up.', signature: 'sig' },
            { type: 'redacted_thinking', data: 'x' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
            { type: 'tool_use', id: 'toolu_2', name: 'weather', input: { city: 'Bergen' } },
            { type: 'tool_use', id: 'toolu_3', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_2',
              content: [
                { type: 'text', text: 'Fog' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
              ],
            },
            { type: 'tool_result', tool_use_id: 'toolu_3', is_error: true },
          ],
        },
      ],
    },
  },
  {
    title: 'the tools that Anthropic defines',
    body: {
      model: 'claude-sonnet-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Do it' }],
      tools: [
        { type: 'custom', name: 'a', input_schema: { type: 'object' }, strict: true, input_examples: [{}] },
        { type: null, name: 'b', input_schema: { type: 'object', properties: null, required: null } },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: null },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['example.com'] },
        { type: 'web_fetch_20250910', name: 'web_fetch', citations: { enabled: true }, max_content_tokens: 10 },
        { type: 'code_execution_20250825', name: 'code_execution' },
        { type: 'memory_20250818', name: 'memory' },
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
        { type: 'computer_toolset_20260801', configs: { wait: { enabled: false } } },
      ],
      tool_choice: { type: 'auto' },
      container: { id: null, skills: [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }] },
    },
  },
  {
    title: 'structured output with an effort, and adaptive thinking',
    body: {
      model: 'claude-opus-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Give me JSON' }],
      thinking: { type: 'adaptive', display: null },
      output_config: { effort: 'max', format: { type: 'json_schema', schema: weatherParameters } },
    },
  },
];

/** For `client.beta.messages.create`, whose body is the same dialect. */
export const betaMessagesRequests: readonly CapturedRequest<Anthropic.Beta.Messages.MessageCreateParamsNonStreaming>[] = [
  {
    title: 'context edits of every kind',
    body: {
      model: 'claude-opus-5',
      max_tokens: 100,
      betas: ['context-management-2025-06-27'],
      messages: [{ role: 'user', content: 'Go on' }],
      context_management: {
        edits: [
          {
            type: 'clear_tool_uses_20250919',
            trigger: { type: 'tool_uses', value: 10 },
            keep: { type: 'tool_uses', value: 3 },
            clear_at_least: { type: 'input_tokens', value: 5000 },
            clear_tool_inputs: ['weather'],
            exclude_tools: null,
          },
          { type: 'clear_thinking_20251015', keep: { type: 'all' } },
          { type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value: 2 } },
          { type: 'compact_20260112', trigger: null, instructions: 'Short.', pause_after_compaction: true },
        ],
      },
    },
  },
  {
    title: 'remote tools, a task budget and fallbacks',
    body: {
      model: 'claude-opus-5',
      max_tokens: 100,
      messages: [
        { role: 'system', output_config: { effort: 'low' }, clear_at: 'never' },
        { role: 'user', content: [{ type: 'container_upload', file_id: 'file_1' }] },
      ],
      mcp_servers: [
        {
          type: 'url',
          name: 'docs',
          url: 'https://example.com/mcp',
          authorization_token: null,
          tool_configuration: { enabled: true, allowed_tools: null },
        },
      ],
      tools: [
        { type: 'mcp_toolset', mcp_server_name: 'docs', default_config: { enabled: true } },
        { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5', caching: null },
        { type: 'computer_20250124', name: 'computer', display_height_px: 768, display_width_px: 1024 },
      ],
      output_config: { task_budget: { type: 'tokens', total: 20_000, remaining: null } },
      thinking: { type: 'enabled', budget_tokens: 1024, block_binding: null, display: 'updates' },
      fallbacks: [{ model: 'claude-sonnet-5' }],
      speed: null,
      cache_control: null,
      container: 'container_1',
    },
  },
];

export const responsesRequests: readonly CapturedRequest<OpenAI.Responses.ResponseCreateParamsNonStreaming>[] = [
  {
    title: 'a plain question with instructions',
    body: { model: 'gpt-5.2', instructions: 'You are terse.', input: 'Hello' },
  },
  {
    title: 'nothing at all',
    body: {},
  },
  {
    title: 'reasoning, structured output and every setting',
    body: {
      model: 'gpt-5.2',
      input: 'Give me JSON',
      reasoning: { effort: 'max', summary: 'auto', generate_summary: null, context: 'all_turns', mode: 'pro' },
      text: {
        verbosity: 'high',
        format: {
          type: 'json_schema',
          name: 'weather',
          description: 'The weather',
          schema: weatherParameters,
          strict: true,
        },
      },
      temperature: 0,
      top_p: 0,
      top_logprobs: 0,
      max_output_tokens: 1,
      max_tool_calls: 1,
      parallel_tool_calls: true,
      service_tier: 'ultrafast',
      truncation: 'auto',
      include: [
        'reasoning.encrypted_content',
        'web_search_call.action.sources',
        'message.output_text.logprobs',
      ],
      context_management: [{ type: 'compaction', compact_threshold: 1000 }],
      image: { context_compression: 'auto' },
      access_programs: { cyber: 'standard' },
      moderation: { model: 'omni-moderation-latest' },
      prompt_cache_options: { mode: 'explicit', ttl: '12h', prewarm: true },
      prompt_cache_retention: 'in_memory',
      prompt_cache_key: 'key',
      safety_identifier: 'hash',
      user: 'ada',
      metadata: { team: 'search' },
      store: true,
      background: false,
      conversation: { id: 'conv_1' },
    },
  },
  {
    title: 'tools of many kinds with a choice among them',
    body: {
      model: 'gpt-5.2',
      input: 'Do it',
      tools: [
        { type: 'function', name: 'weather', parameters: weatherParameters, strict: true, description: null },
        { type: 'function', name: 'ping', parameters: null, strict: null, defer_loading: true },
        { type: 'custom', name: 'sql', format: { type: 'grammar', syntax: 'regex', definition: '.*' } },
        {
          type: 'namespace',
          name: 'crm',
          description: 'Customers',
          tools: [
            { type: 'function', name: 'find', parameters: weatherParameters },
            { type: 'custom', name: 'note' },
          ],
        },
        { type: 'web_search', filters: { allowed_domains: ['example.com'] }, user_location: { city: 'Oslo' } },
        { type: 'web_search_preview', search_context_size: 'low', user_location: null },
        {
          type: 'file_search',
          vector_store_ids: ['vs_1'],
          filters: { type: 'and', filters: [{ type: 'eq', key: 'a', value: 1 }] },
          ranking_options: { ranker: 'auto', score_threshold: 0.5 },
        },
        { type: 'computer' },
        { type: 'computer_use_preview', display_height: 768, display_width: 1024, environment: 'browser' },
        { type: 'code_interpreter', container: { type: 'auto', file_ids: [], memory_limit: null } },
        {
          type: 'mcp',
          server_label: 'docs',
          server_url: 'https://example.com/mcp',
          headers: { 'x-a': 'b' },
          allowed_tools: { tool_names: ['search'], read_only: true },
          require_approval: { never: { tool_names: ['search'] } },
        },
        { type: 'image_generation', size: 'auto', quality: 'max', input_fidelity: null, partial_images: 2 },
        { type: 'local_shell' },
        { type: 'shell', environment: { type: 'container_auto' } },
        { type: 'apply_patch' },
        { type: 'tool_search', execution: 'client', parameters: null },
        { type: 'programmatic_tool_calling' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
    },
  },
  {
    title: 'a choice of one hosted tool',
    body: { model: 'gpt-5.2', input: 'Hello', tools: [{ type: 'apply_patch' }], tool_choice: { type: 'apply_patch' } },
  },
  {
    title: 'a choice of a remote server without its label',
    body: { model: 'gpt-5.2', input: 'Hello', tool_choice: { type: 'mcp' } },
  },
  {
    title: 'messages with every kind of content',
    body: {
      model: 'gpt-5.2',
      input: [
        { role: 'developer', content: 'Answer in French.' },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Cite sources.' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', detail: 'auto', image_url: 'https://example.com/a.png' },
            { type: 'input_file', file_id: null, file_url: 'https://example.com/a.pdf' },
          ],
        },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          phase: 'final_answer',
          content: [
            { type: 'output_text', text: 'A pixel.', annotations: [] },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
        { type: 'item_reference', id: 'msg_2' },
        { id: 'msg_3' },
      ],
    },
  },
  {
    title: 'calls, outputs and reasoning replayed',
    body: {
      model: 'gpt-5.2',
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Look it up.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
        {
          type: 'function_call_output',
          output: [{ type: 'input_image', image_url: 'https://example.com/a.png' }],
        },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'sql', input: 'select 1' },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: '1' },
        {
          type: 'web_search_call',
          id: 'ws_1',
          status: 'completed',
          action: { type: 'search', query: 'oslo', queries: ['oslo'] },
        },
        { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['oslo'], results: null },
        {
          type: 'computer_call',
          id: 'cu_1',
          call_id: 'call_3',
          status: 'completed',
          pending_safety_checks: [],
          action: { type: 'screenshot' },
        },
        { type: 'computer_call_output', call_id: 'call_3', output: { type: 'computer_screenshot' } },
        { type: 'shell_call', call_id: 'call_4', action: { commands: ['ls'] } },
        {
          type: 'shell_call_output',
          call_id: 'call_4',
          output: [{ stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
        },
        {
          type: 'apply_patch_call',
          call_id: 'call_5',
          status: 'completed',
          operation: { type: 'delete_file', path: 'a' },
        },
        { type: 'apply_patch_call_output', call_id: 'call_5', status: 'failed' },
        {
          type: 'mcp_list_tools',
          id: 'mcpl_1',
          server_label: 'docs',
          tools: [{ name: 'search', input_schema: {} }],
        },
        { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'docs', name: 'search', arguments: '{}' },
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true, reason: null },
        { type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'search', arguments: '{}', output: null },
        { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: pixel },
        { type: 'compaction', encrypted_content: 'x' },
        { type: 'configuration_update', reasoning: { effort: 'low' } },
      ],
    },
  },
  {
    title: 'null wherever a field may be null',
    body: {
      background: null,
      context_management: null,
      conversation: null,
      include: null,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: null,
      moderation: null,
      parallel_tool_calls: null,
      previous_response_id: null,
      prompt: null,
      prompt_cache_key: null,
      prompt_cache_retention: null,
      reasoning: null,
      safety_identifier: null,
      service_tier: null,
      store: null,
      stream: null,
      stream_options: null,
      temperature: null,
      top_logprobs: null,
      top_p: null,
      truncation: null,
    },
  },
];
