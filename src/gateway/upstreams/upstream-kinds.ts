import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { type Endpoint, endpoints } from './endpoint.ts';
import type { UpstreamKind } from './upstream.ts';

/** All that depends on the kind of an upstream. A new kind is a new entry of `kinds`. */
interface KindProperties {
  /** Undefined if there is no default and the operator has to set one. */
  readonly baseUrl: string | undefined;
  /** All dialects that an upstream of this kind can support. */
  readonly dialects: readonly Dialect[];
  /** Those that it documents for all its models, and not as a beta. */
  readonly defaultDialects: readonly Dialect[];
  /** Documented endpoints besides those of the dialects. The operator can set others. */
  readonly endpoints: readonly Endpoint[];
  /** The environment variable of its key; undefined if it needs none by default. */
  readonly keyVariable: string | undefined;
  readonly keyHeader: 'authorization' | 'x-api-key' | 'api-key';
  /**
   * The client headers that are meant for the upstream. This is an allow list: everything else
   * stays with presetd, above all the client's API key.
   */
  readonly forwardedHeaders: ReadonlySet<string>;
  readonly forwardedPrefix: string | undefined;
  /** Necessary changes to a request; undefined if it accepts everything that presetd accepts. */
  readonly quirks: Readonly<Record<Dialect, RequestQuirks>> | undefined;
  /** Whether it stores responses, so that they can be retrieved and continued by their ids. */
  readonly storesResponses: boolean;
  /** Undefined if its list does not say which models can be called. */
  readonly modelList: ModelListProperties | undefined;
}

interface ModelListProperties {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Precedes the ids of its list, but not the names in requests. */
  readonly idPrefix: string;
}

/**
 * How an API differs from the dialect of a request. These are deny lists, so that a field that is
 * newer than presetd reaches the upstream. They leave out fields that change what a request asks
 * for, such as `functions` and `response_format`: there, the upstream's error is better than a
 * response to another question.
 */
export interface RequestQuirks {
  readonly dialect: Dialect;
  readonly rejected: ReadonlySet<string>;
  /** Old names to new names of fields with the same meaning. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly rejectedInTools: readonly string[];
  readonly rejectedInMessages: readonly string[];
  readonly rejectedInParts: readonly string[];
  readonly renamedRoles: ReadonlyMap<string, string>;
  /** The form in which it takes the effort of reasoning; undefined if as OpenRouter does. */
  readonly reasoning: 'reasoning_effort' | 'openai-object' | undefined;
}

/** Fields of OpenRouter's own service: routing, server tools, accounts. */
const openrouterFields = [
  'models',
  'provider',
  'plugins',
  'route',
  'transforms',
  'deferred_tools',
  'stop_server_tools_when',
  'session_id',
  'trace',
  'debug',
  'usage',
  'preset',
];

/** Parameters that OpenRouter and many servers have in chat completions, and OpenAI lacks. */
const beyondOpenAi = [
  'prompt',
  'top_k',
  'top_a',
  'min_p',
  'repetition_penalty',
  'max_tool_calls',
  'include_reasoning',
  'structured_outputs',
  'image_config',
  'cache_control',
];

const cacheControl = ['cache_control'];
const promptCache = ['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'];
const developerToSystem = { developer: 'system' };
const toMaxTokens = { max_completion_tokens: 'max_tokens' };

interface DialectQuirks {
  readonly rejected?: readonly string[];
  readonly renamed?: Readonly<Record<string, string>>;
  readonly rejectedInTools?: readonly string[];
  readonly rejectedInMessages?: readonly string[];
  readonly rejectedInParts?: readonly string[];
  readonly renamedRoles?: Readonly<Record<string, string>>;
  readonly reasoning?: RequestQuirks['reasoning'];
}

/** Adds what all APIs but OpenRouter's have in common. */
function quirks({
  chat = {},
  messages = {},
  responses = {},
}: {
  readonly chat?: DialectQuirks;
  readonly messages?: DialectQuirks;
  readonly responses?: DialectQuirks;
}): Readonly<Record<Dialect, RequestQuirks>> {
  return {
    // Only OpenRouter has a `reasoning` object in chat completions.
    'chat-completions': toQuirks('chat-completions', { reasoning: 'reasoning_effort', ...chat }),
    // Anthropic has the end user in `metadata`.
    messages: toQuirks('messages', { ...messages, rejected: ['user', ...(messages.rejected ?? [])] }),
    responses: toQuirks('responses', responses),
  };
}

function toQuirks(dialect: Dialect, given: DialectQuirks): RequestQuirks {
  return {
    dialect,
    rejected: new Set([...openrouterFields, ...(given.rejected ?? [])]),
    renamed: new Map(Object.entries(given.renamed ?? {})),
    rejectedInTools: given.rejectedInTools ?? [],
    rejectedInMessages: given.rejectedInMessages ?? [],
    rejectedInParts: given.rejectedInParts ?? [],
    renamedRoles: new Map(Object.entries(given.renamedRoles ?? {})),
    reasoning: given.reasoning,
  };
}

/** OpenAI rejects every field it does not know. It caches prompts without `cache_control`. */
const openAiQuirks = quirks({
  chat: { rejected: beyondOpenAi, rejectedInTools: cacheControl, rejectedInParts: cacheControl },
  responses: {
    rejected: [
      'stop',
      'top_k',
      'frequency_penalty',
      'presence_penalty',
      'modalities',
      'image_config',
      'cache_control',
    ],
    reasoning: 'openai-object',
  },
});

const tracing = ['traceparent', 'tracestate'];
const anthropicHeaders = ['anthropic-beta', 'anthropic-version'];
const openAiHeaders = new Set([...tracing, 'openai-beta', 'x-client-request-id']);

const plainList: ModelListProperties = { query: '', headers: {}, idPrefix: '' };

/** The properties that most kinds share. */
const compatible = {
  keyHeader: 'authorization',
  forwardedHeaders: new Set(tracing),
  forwardedPrefix: undefined,
  quirks: quirks({}),
  storesResponses: true,
  modelList: plainList,
} as const;

const countTokens = 'messages/count_tokens';
const audio: readonly Endpoint[] = ['audio/speech', 'audio/transcriptions', 'audio/translations'];

const openAiDialects: readonly Dialect[] = ['chat-completions', 'responses'];
const chatOnly: readonly Dialect[] = ['chat-completions'];

export const openrouterUrl = 'https://openrouter.ai/api/v1';

export const kinds: Readonly<Record<UpstreamKind, KindProperties>> = {
  openrouter: {
    ...compatible,
    baseUrl: openrouterUrl,
    dialects,
    defaultDialects: dialects,
    endpoints: ['completions', 'embeddings', 'rerank', 'images', 'audio/speech', 'audio/transcriptions'],
    keyVariable: 'OPENROUTER_API_KEY',
    forwardedHeaders: new Set([
      ...tracing,
      'http-referer',
      'x-title',
      'x-session-id',
      ...anthropicHeaders,
      'x-anthropic-beta',
    ]),
    forwardedPrefix: 'x-openrouter-',
    quirks: undefined,
    storesResponses: false,
  },
  openai: {
    ...compatible,
    baseUrl: 'https://api.openai.com/v1',
    dialects: openAiDialects,
    defaultDialects: openAiDialects,
    endpoints: endpoints.filter((name) => !['rerank', 'images', countTokens].includes(name)),
    keyVariable: 'OPENAI_API_KEY',
    forwardedHeaders: openAiHeaders,
    quirks: openAiQuirks,
  },
  anthropic: {
    ...compatible,
    baseUrl: 'https://api.anthropic.com/v1',
    dialects: ['messages'],
    defaultDialects: ['messages'],
    endpoints: [countTokens],
    keyVariable: 'ANTHROPIC_API_KEY',
    keyHeader: 'x-api-key',
    forwardedHeaders: new Set([...tracing, ...anthropicHeaders]),
    // Pages have 20 models by default. 1000 is the maximum.
    modelList: {
      query: '?limit=1000',
      headers: dialectOf.messages.request.requiredHeaders ?? {},
      idPrefix: '',
    },
  },
  'azure-openai': {
    ...compatible,
    baseUrl: undefined,
    dialects: openAiDialects,
    defaultDialects: openAiDialects,
    endpoints: [
      'completions',
      'embeddings',
      'images/generations',
      'images/edits',
      ...audio,
      'responses/compact',
    ],
    keyVariable: 'AZURE_OPENAI_API_KEY',
    keyHeader: 'api-key',
    forwardedHeaders: openAiHeaders,
    quirks: openAiQuirks,
    // Azure lists the models that could be deployed. Requests name deployments.
    modelList: undefined,
  },
  // https://ai.google.dev/gemini-api/docs/openai. Rejects unknown fields ("Cannot find field").
  gemini: {
    ...compatible,
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    dialects: chatOnly,
    defaultDialects: chatOnly,
    endpoints: ['embeddings', 'images/generations'],
    keyVariable: 'GEMINI_API_KEY',
    quirks: quirks({
      chat: {
        // Current models answer penalties with "Penalty is not enabled".
        rejected: [
          ...beyondOpenAi,
          ...promptCache,
          'store',
          'metadata',
          'seed',
          'frequency_penalty',
          'presence_penalty',
        ],
        rejectedInTools: cacheControl,
        rejectedInParts: cacheControl,
        renamedRoles: developerToSystem,
      },
    }),
    modelList: { ...plainList, idPrefix: 'models/' },
  },
  // https://docs.mistral.ai/api. Rejects unknown fields ("Extra inputs are not permitted"). Streams
  // report usage without `stream_options`.
  mistral: {
    ...compatible,
    baseUrl: 'https://api.mistral.ai/v1',
    dialects: chatOnly,
    defaultDialects: chatOnly,
    endpoints: ['embeddings', 'moderations', 'audio/speech', 'audio/transcriptions'],
    keyVariable: 'MISTRAL_API_KEY',
    quirks: quirks({
      chat: {
        rejected: [
          ...beyondOpenAi,
          'prompt_cache_options',
          'prompt_cache_retention',
          'logit_bias',
          'logprobs',
          'top_logprobs',
          'modalities',
          'moderation',
          'safety_identifier',
          'service_tier',
          'store',
          'stream_options',
          'user',
          'verbosity',
        ],
        renamed: { ...toMaxTokens, seed: 'random_seed' },
        rejectedInTools: cacheControl,
        rejectedInMessages: ['name', 'reasoning_content'],
        rejectedInParts: cacheControl,
        renamedRoles: developerToSystem,
      },
    }),
  },
  // https://console.groq.com/docs/openai. Rejects unknown fields ("property … is unsupported").
  // Its responses API is a beta.
  groq: {
    ...compatible,
    baseUrl: 'https://api.groq.com/openai/v1',
    dialects: openAiDialects,
    defaultDialects: chatOnly,
    endpoints: audio,
    keyVariable: 'GROQ_API_KEY',
    storesResponses: false,
    quirks: quirks({
      chat: {
        rejected: [
          // Unlike OpenAI, Groq has this one.
          ...beyondOpenAi.filter((name) => name !== 'include_reasoning'),
          ...promptCache,
          'logit_bias',
          'logprobs',
          'top_logprobs',
          'metadata',
          'modalities',
          'moderation',
          'prediction',
          'safety_identifier',
          'store',
          'verbosity',
        ],
        rejectedInTools: cacheControl,
        rejectedInMessages: ['name', 'reasoning_content'],
        rejectedInParts: cacheControl,
      },
    }),
  },
  // https://docs.together.ai/docs/inference/openai-compatibility. Its responses API supports some
  // models only.
  together: {
    ...compatible,
    baseUrl: 'https://api.together.ai/v1',
    dialects: openAiDialects,
    defaultDialects: chatOnly,
    endpoints: ['completions', 'embeddings', 'rerank', 'images/generations', ...audio],
    keyVariable: 'TOGETHER_API_KEY',
    quirks: quirks({ chat: { renamed: toMaxTokens, renamedRoles: developerToSystem } }),
  },
  // https://docs.fireworks.ai. Rejects unknown fields ("Extra inputs are not permitted").
  fireworks: {
    ...compatible,
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    dialects,
    defaultDialects: dialects,
    // Its audio API has a host of its own.
    endpoints: ['completions', 'embeddings', 'rerank'],
    keyVariable: 'FIREWORKS_API_KEY',
    // Routes the requests of a session to the same prompt cache.
    forwardedHeaders: new Set([...tracing, ...anthropicHeaders, 'x-session-affinity']),
    quirks: quirks({
      chat: {
        rejected: [
          ...beyondOpenAi.filter((name) => !['top_k', 'min_p', 'repetition_penalty'].includes(name)),
          'prompt_cache_options',
          'prompt_cache_retention',
          'safety_identifier',
          'store',
          'verbosity',
        ],
        rejectedInTools: cacheControl,
        rejectedInParts: cacheControl,
        renamedRoles: developerToSystem,
      },
      messages: { rejectedInTools: ['cache_control', 'eager_input_streaming'] },
    }),
  },
  // https://api-docs.deepseek.com. Ignores unknown fields, and with them a limit by another name.
  deepseek: {
    ...compatible,
    baseUrl: 'https://api.deepseek.com',
    dialects: openAiDialects,
    defaultDialects: openAiDialects,
    // Its completions have another base URL.
    endpoints: [],
    keyVariable: 'DEEPSEEK_API_KEY',
    quirks: quirks({ chat: { renamed: toMaxTokens, renamedRoles: developerToSystem } }),
  },
  // https://docs.x.ai. The current models reject penalties. Its messages API is deprecated.
  xai: {
    ...compatible,
    baseUrl: 'https://api.x.ai/v1',
    dialects: openAiDialects,
    defaultDialects: openAiDialects,
    endpoints: ['images/generations', 'images/edits'],
    keyVariable: 'XAI_API_KEY',
    // Routes the requests of a conversation to the same prompt cache.
    forwardedHeaders: new Set([...tracing, 'x-grok-conv-id']),
    quirks: quirks({
      chat: { rejected: ['frequency_penalty', 'presence_penalty'], renamedRoles: developerToSystem },
    }),
  },
  // https://docs.ollama.com/api/openai-compatibility. Ignores unknown fields, and with them a limit
  // by another name. Most chat templates ignore unknown roles.
  ollama: {
    ...compatible,
    baseUrl: 'http://127.0.0.1:11434/v1',
    dialects,
    defaultDialects: dialects,
    endpoints: ['completions', 'embeddings', 'images/generations', 'audio/speech', 'audio/transcriptions'],
    keyVariable: undefined,
    storesResponses: false,
    forwardedHeaders: new Set([...tracing, ...anthropicHeaders]),
    quirks: quirks({ chat: { renamed: toMaxTokens, renamedRoles: developerToSystem } }),
  },
  // https://docs.vllm.ai/en/stable/serving/online_serving. Ignores unknown fields. Many chat
  // templates reject the role "developer".
  vllm: {
    ...compatible,
    baseUrl: 'http://127.0.0.1:8000/v1',
    dialects,
    defaultDialects: dialects,
    endpoints: [
      'completions',
      'embeddings',
      'rerank',
      'audio/transcriptions',
      'audio/translations',
      countTokens,
    ],
    keyVariable: undefined,
    forwardedHeaders: new Set([...tracing, ...anthropicHeaders]),
    quirks: quirks({ chat: { renamedRoles: developerToSystem } }),
  },
  'openai-compatible': {
    ...compatible,
    baseUrl: undefined,
    dialects,
    defaultDialects: chatOnly,
    // Nothing is known about it, so it may have everything. Tokens can be counted without it.
    endpoints: endpoints.filter((name) => name !== countTokens),
    keyVariable: undefined,
    forwardedHeaders: new Set([...tracing, ...anthropicHeaders]),
  },
};
