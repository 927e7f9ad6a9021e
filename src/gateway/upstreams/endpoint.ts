import type { Dialect } from '../../core/presets/preset.ts';

/**
 * The endpoints of upstreams besides those of the three dialects. Calls to them are relayed: an
 * upstream that has the endpoint gets the request with another model name at most. They are named
 * by their path below the base URL.
 */
export const endpoints = [
  'completions',
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
  'messages/count_tokens',
  'responses/input_tokens',
  'responses/compact',
] as const;

export type Endpoint = (typeof endpoints)[number];

export interface EndpointProperties {
  /** Whose error format its clients expect. */
  readonly dialect: Dialect;
  /**
   * If its requests are those of the dialect: the fields that it has. A preset is then applied as a
   * whole, except for other fields. Undefined if it takes only its model from a preset.
   */
  readonly presetFields?: ReadonlySet<string>;
  /**
   * The media types that a response may have besides JSON and event streams. Only types that no
   * browser renders as a page: a proxy may answer for the upstream with anything.
   */
  readonly mediaTypes?: RegExp;
  /** Whether its event streams have their own events instead of the dialect's. */
  readonly hasOwnEvents?: boolean;
}

const openAi: EndpointProperties = { dialect: 'chat-completions' };
const images = media(/^image\/(?:avif|gif|jpeg|png|webp)\b/i);
const speech = media(/^(?:audio\/[\w.+-]+|application\/(?:octet-stream|ogg))\b/i);
const transcripts = media(/^(?:text\/(?:plain|vtt|srt)|application\/x-subrip)\b/i);

function media(mediaTypes: RegExp): EndpointProperties {
  return { dialect: 'chat-completions', mediaTypes, hasOwnEvents: true };
}

export const endpointProperties: Readonly<Record<Endpoint, EndpointProperties>> = {
  completions: openAi,
  embeddings: openAi,
  rerank: openAi,
  moderations: openAi,
  images,
  'images/generations': images,
  'images/edits': images,
  'images/variations': images,
  'audio/speech': speech,
  'audio/transcriptions': transcripts,
  'audio/translations': transcripts,
  'messages/count_tokens': {
    dialect: 'messages',
    presetFields: new Set([
      'cache_control',
      'compaction',
      'context_management',
      'mcp_servers',
      'messages',
      'model',
      'models',
      'output_config',
      'output_format',
      'speed',
      'system',
      'thinking',
      'tool_choice',
      'tools',
    ]),
  },
  'responses/input_tokens': {
    dialect: 'responses',
    presetFields: new Set([
      'conversation',
      'input',
      'instructions',
      'model',
      'models',
      'parallel_tool_calls',
      'previous_response_id',
      'reasoning',
      'text',
      'tool_choice',
      'tools',
      'truncation',
    ]),
  },
  'responses/compact': {
    dialect: 'responses',
    presetFields: new Set([
      'image',
      'input',
      'instructions',
      'model',
      'models',
      'previous_response_id',
      'prompt_cache_key',
      'prompt_cache_options',
      'prompt_cache_retention',
      'service_tier',
    ]),
  },
};
