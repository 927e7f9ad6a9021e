import type { ChatRequest, MessagesRequest, ResponsesRequest } from '@openrouter/sdk/models';
import type { CapturedRequest } from './requests.ts';

const provider: ChatRequest['provider'] = {
  order: ['anthropic', 'a-provider-of-tomorrow'],
  only: null,
  ignore: [],
  allowFallbacks: false,
  requireParameters: null,
  dataCollection: 'deny',
  zdr: true,
  enforceDistillableText: false,
  quantizations: ['fp8', 'unknown'],
  sort: { by: 'price', partition: 'none' },
  maxPrice: { prompt: '0.5', completion: '1.5' },
  preferredMinThroughput: 50,
  preferredMaxLatency: { p50: 1, p99: null },
};

const plugins: NonNullable<ChatRequest['plugins']> = [
  { id: 'auto-router', allowedModels: ['anthropic/*'], costTier: 'low' },
  { id: 'moderation' },
  { id: 'web', engine: 'exa', maxResults: 3, includeDomains: ['example.com'] },
  { id: 'web-fetch', maxUses: 2 },
  { id: 'file-parser', pdf: { engine: 'native' } },
  { id: 'response-healing', enabled: true },
  { id: 'context-compression', engine: 'middle-out' },
  { id: 'pareto-router', minCodingScore: 0.5, maxPrice: 1 },
  { id: 'fusion', preset: 'general-fast', analysisModels: ['a', 'b'] },
  { id: 'switchyard-router', algorithm: 'auto' },
];

const stopServerToolsWhen: NonNullable<ChatRequest['stopServerToolsWhen']> = [
  { type: 'step_count_is', stepCount: 5 },
  { type: 'has_tool_call', toolName: 'done' },
  { type: 'max_tokens_used', maxTokens: 1000 },
  { type: 'max_cost', maxCostInDollars: 0.5 },
  { type: 'finish_reason_is', reason: 'stop' },
];

const trace: ChatRequest['trace'] = { traceId: 't', spanName: 's', additionalProperties: { team: 'search' } };

export const openRouterChatRequests: readonly CapturedRequest<ChatRequest>[] = [
  {
    title: 'routing, plugins and every sampling field',
    body: {
      model: 'anthropic/claude-sonnet-4.5',
      models: ['openai/gpt-5.2'],
      messages: [
        { role: 'system', content: 'You are terse.', configurationUpdate: { reasoning: { effort: 'low' } } },
        { role: 'developer', content: [{ type: 'text', text: 'Cite.', cacheControl: { type: 'ephemeral' } }] },
        { role: 'user', content: [{ type: 'video_url', videoUrl: { url: 'https://example.com/a.mp4' } }] },
        {
          role: 'assistant',
          content: null,
          reasoning: 'Hm.',
          reasoningDetails: [{ type: 'reasoning.text', text: 'Hm.', signature: null }],
          images: [{ imageUrl: { url: 'data:image/png;base64,AA==' } }],
        },
      ],
      provider,
      plugins,
      stopServerToolsWhen,
      trace,
      temperature: 1,
      topK: 0,
      topA: 1,
      minP: 0,
      repetitionPenalty: 2,
      seed: 1,
      stop: 'END',
      reasoning: { effort: 'minimal', summary: 'concise' },
      modalities: ['text', 'image', 'audio'],
      imageConfig: { aspect_ratio: '16:9', n: 1, seeds: [1] },
      cacheControl: { type: 'ephemeral', ttl: '1h' },
      promptCacheOptions: { mode: 'explicit', ttl: null },
      sessionId: 'session',
      debug: { echoUpstreamBody: true },
      serviceTier: 'fast',
      responseFormat: { type: 'grammar', grammar: 'root ::= "x"' },
    },
  },
  {
    title: 'server tools with their parameters',
    body: {
      messages: [{ role: 'user', content: 'Do it' }],
      tools: [
        { type: 'function', function: { name: 'weather', parameters: {} }, cacheControl: { type: 'ephemeral' } },
        { type: 'openrouter:advisor', parameters: { name: 'critic', model: 'a', temperature: 0.1 } },
        { type: 'openrouter:subagent', parameters: { maxToolCalls: 25, tools: [{ type: 'openrouter:bash' }] } },
        { type: 'openrouter:fusion', parameters: { analysisModels: ['a'], reasoning: { effort: 'high' } } },
        { type: 'openrouter:web_search', parameters: { engine: 'auto', userLocation: { city: null } } },
        { type: 'openrouter:web_fetch', parameters: { maxUses: 3, blockedDomains: ['example.com'] } },
        { type: 'openrouter:image_generation', parameters: { model: 'a' } },
        { type: 'openrouter:bash', parameters: { environment: { type: 'container_auto' } } },
        { type: 'openrouter:datetime', parameters: { timezone: 'Europe/Oslo' } },
        { type: 'openrouter:experimental__search_models', parameters: { maxResults: 3 } },
        { type: 'openrouter:files' },
        { type: 'web_search', maxResults: 3, parameters: { searchContextSize: 'low' } },
      ],
      toolChoice: { type: 'openrouter:web_search' },
    },
  },
];

export const openRouterMessagesRequests: readonly CapturedRequest<MessagesRequest>[] = [
  {
    title: 'routing, plugins and Anthropic settings',
    body: {
      model: 'anthropic/claude-sonnet-4.5',
      messages: [
        { role: 'system', content: 'You are terse.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      ],
      fallbacks: [{ model: 'a' }, { model: 'b' }, { model: 'c' }],
      provider,
      plugins,
      stopServerToolsWhen,
      trace,
      temperature: 0,
      topP: 1,
      topK: 0,
      thinking: { type: 'adaptive', display: 'updates', blockBinding: null },
      outputConfig: { effort: null, format: null, taskBudget: { type: 'tokens', total: 20_000 } },
      safeguards: [{ type: 'classifier' }],
      speed: 'standard',
      tools: [
        { name: 'weather', inputSchema: { properties: {} } },
        { type: 'openrouter:shell', parameters: { environment: { type: 'container_reference', containerId: 'c' } } },
        { type: 'openrouter:tool_search', parameters: { maxResults: 3 } },
      ],
      user: 'ada',
      sessionId: 'session',
    },
  },
  {
    title: 'no messages at all',
    body: { model: 'anthropic/claude-sonnet-4.5', messages: null },
  },
];

export const openRouterResponsesRequests: readonly CapturedRequest<ResponsesRequest>[] = [
  {
    title: 'routing, plugins and items with a role but no type',
    body: {
      model: 'openai/gpt-5.2',
      input: [
        { role: 'system', content: 'You are terse.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      ],
      provider,
      plugins,
      stopServerToolsWhen,
      trace,
      topK: 3,
      frequencyPenalty: 0,
      reasoning: { enabled: true, maxTokens: 100, effort: null },
      text: { verbosity: 'max', format: { type: 'json_object' } },
      modalities: ['text', 'image'],
      tools: [
        { type: 'function', name: 'weather', parameters: null },
        { type: 'openrouter:apply_patch', parameters: { engine: 'native' } },
        { type: 'web_search_2025_08_26', engine: 'native', filters: { excludedDomains: null } },
      ],
      prompt: null,
      user: 'ada',
    },
  },
];
